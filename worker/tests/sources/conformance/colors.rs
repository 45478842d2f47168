//! Whether the patches have the source's colours in every quality, shown as its own tags say.

use super::recipe::{COLUMNS, patch};
use super::report::Row;
use crate::made::Made;
use crate::media::{ffmpeg, run, streams};

/// Out of 255.
const MOST: u8 = 3;
const ROWS: usize = 2;

pub(crate) fn check(made: &Made, row: &mut Row) {
    for quality in made.pictures() {
        let file = made.file(&quality.name);
        let stream = &streams(&file, &[])[0];
        let tag = |name: &str| stream[name].as_str().unwrap_or("unknown").to_owned();
        for name in ["color_space", "color_primaries", "color_transfer", "color_range"] {
            row.expect(tag(name) != "unknown", || format!("{} does not say its {name}", quality.name));
        }
        // ffmpeg converts by the tags of each frame. Of the four by four pixels of a patch, the inner ones are looked at
        // together: neighbours do not bleed into them, and a single pixel is off by what x264 saves there.
        let size = (4 * COLUMNS, 4 * ROWS);
        let filter = format!(
            "scale={}:{}:flags=area+accurate_rnd+full_chroma_int+full_chroma_inp,format=rgb24",
            size.0, size.1
        );
        let mut command = ffmpeg();
        command.arg("-i").arg(&file).args(["-frames:v", "1", "-vf", &filter, "-f", "rawvideo", "-"]);
        let pixels = run(&mut command);
        let mut worst = (0, String::new());
        for (column, line) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |line| (column, line))) {
            let inner =
                [(1, 1), (1, 2), (2, 1), (2, 2)].map(|(x, y)| (line * 4 + y) * size.0 + column * 4 + x);
            let shown = [0, 1, 2].map(|color| {
                let sum: u32 = inner.iter().map(|at| u32::from(pixels[at * 3 + color])).sum();
                u8::try_from((sum + 2) / 4).unwrap()
            });
            let should = patch(column, line);
            let error =
                shown.iter().zip(should).map(|(shown, should)| shown.abs_diff(should)).max().unwrap_or(0);
            if error > worst.0 {
                worst = (error, format!("{should:?} became {shown:?}"));
            }
        }
        row.colors = row.colors.max(Some(worst.0));
        row.expect(worst.0 <= MOST, || format!("{}: {}", quality.name, worst.1));
    }
}
