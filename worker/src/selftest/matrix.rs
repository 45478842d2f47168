//! The rows of one encoder.

use framefarm_shared::gpu::GpuEncoder;
use framefarm_shared::part::Sha256Hex;
use sha2::{Digest as _, Sha256};

use super::Tested;
use super::bench::{Bench, Made, Order};
use super::report::Outcome;
use crate::encoder::clip::FRAMES;
use crate::encoder::protocol::{init_path, segment_path};

/// Runs them all and tells each.
pub(super) async fn run(
    bench: &Bench,
    gpu: &Tested,
    encoder: &GpuEncoder,
    tell: &mut (dyn FnMut(&str, Outcome) + Send),
) {
    let rows = Rows { bench, gpu, encoder };
    let whole = rows.encode("whole", false).await;
    let tell = &mut |what: &str, result: Result<String, String>| {
        tell(what, result.map_or_else(Outcome::Failed, Outcome::Passed));
    };
    let speed = |made: &Made| format!("{:.0} fps at 360p and 180p", made.fps());
    match &whole {
        Ok(made) => {
            tell("CPU decodes, GPU encodes", Ok(speed(made)));
            tell("segments start and end as planned", rows.boundaries(made));
            tell("output decodes", rows.decodes(made, "decoded").await);
            tell("resumed midway", rows.resumed(made).await);
            tell("continues software segments with their init segment", rows.mixed(made).await);
        }
        Err(why) => tell("CPU decodes, GPU encodes", Err(why.clone())),
    }
    if encoder.on_gpu {
        let made = rows.encode("there", true).await;
        let stayed =
            made.and_then(|made| if made.said.software_decoded() { Err(made.said.beside) } else { Ok(made) });
        match stayed {
            Ok(made) => {
                tell("decoded, scaled and encoded on the GPU", Ok(speed(&made)));
                tell("output of the GPU path decodes", rows.decodes(&made, "there-decoded").await);
            }
            Err(why) => tell("decoded, scaled and encoded on the GPU", Err(why)),
        }
    }
}

struct Rows<'a> {
    bench: &'a Bench,
    gpu: &'a Tested,
    encoder: &'a GpuEncoder,
}

impl Rows<'_> {
    fn order(&self, name: &str) -> Order<'_> {
        let id: String = self.gpu.id.chars().filter(char::is_ascii_alphanumeric).collect();
        Order {
            name: format!("{id}-{}-{name}", self.encoder.name),
            codec: self.encoder.codec,
            gpu: Some(self.gpu),
            on_gpu: false,
            segments: 0..self.bench.segments(),
            known_init: None,
        }
    }

    async fn encode(&self, name: &str, on_gpu: bool) -> Result<Made, String> {
        self.bench.encode(&Order { on_gpu, ..self.order(name) }).await
    }

    fn boundaries(&self, made: &Made) -> Result<String, String> {
        let starts: Vec<u64> =
            self.bench.plan.boundaries_us.iter().map(|us| (us * 90 + 500) / 1000).collect();
        for quality in &made.qualities {
            let shapes = made.shapes(&quality.name, 0..self.bench.segments())?;
            for (span, (start, length, _)) in starts.windows(2).zip(&shapes) {
                if (span[0], span[1] - span[0]) != (*start, *length) {
                    return Err(format!("{}: {start}+{length}, expected {span:?}", quality.name));
                }
            }
        }
        Ok(format!("{} segments", self.bench.segments()))
    }

    async fn decodes(&self, made: &Made, name: &str) -> Result<String, String> {
        for quality in &made.qualities {
            let files = made.files(&quality.name, 0..self.bench.segments());
            let name = format!("{}-{}", self.order(name).name, quality.name);
            self.bench.check_decodes(&name, &files, FRAMES as usize).await?;
        }
        Ok(format!("{FRAMES} frames per quality"))
    }

    async fn resumed(&self, whole: &Made) -> Result<String, String> {
        let rest = 1..self.bench.segments();
        let made = self.bench.encode(&Order { segments: rest.clone(), ..self.order("rest") }).await?;
        for quality in &made.qualities {
            let [again, before] = [&made, whole].map(|made| made.shapes(&quality.name, rest.clone()));
            if again? != before? {
                return Err(format!("{}: the timestamps differ from those of the full encode", quality.name));
            }
            let mut files = whole.files(&quality.name, 0..1);
            files.extend(made.files(&quality.name, rest.clone()).into_iter().skip(1));
            let name = format!("{}-{}", self.order("joined").name, quality.name);
            self.bench.check_decodes(&name, &files, FRAMES as usize).await?;
        }
        Ok("same timestamps, output decodes".to_owned())
    }

    async fn mixed(&self, whole: &Made) -> Result<String, String> {
        let software = Order { gpu: None, segments: 0..1, ..self.order("software") };
        let software = self.bench.encode(&software).await?;
        let mut words = Vec::new();
        for quality in &software.qualities {
            let name = &quality.name;
            let init = init_path(&software.output, name);
            let init = std::fs::read(&init).map_err(|error| format!("{}: {error}", init.display()))?;
            let known_init = Some(Sha256Hex(Sha256::digest(init).into()).to_string());
            let rest = 1..self.bench.segments();
            let order = self.order(&format!("after-{name}"));
            let made = self.bench.encode(&Order { segments: rest.clone(), known_init, ..order }).await?;
            let mut files = software.files(name, 0..1);
            files.extend(made.files(name, rest).into_iter().skip(1));
            let joined = format!("{}-{name}", self.order("mixed").name);
            self.bench.check_decodes(&joined, &files, FRAMES as usize).await?;
            words.push(compared(name, [whole, &software])?);
        }
        Ok(format!("output decodes; {}", words.join(", ")))
    }
}

/// The sizes of the first segment; both encoders aim at the same quality.
fn compared(quality: &str, [gpu, software]: [&Made; 2]) -> Result<String, String> {
    let size = |made: &Made| {
        let path = segment_path(&made.output, quality, 0);
        std::fs::metadata(&path)
            .map(|file| file.len())
            .map_err(|error| format!("{}: {error}", path.display()))
    };
    let (gpu, software) = (size(gpu)?, size(software)?);
    Ok(format!("{quality} is {} % of the software size", gpu * 100 / software.max(1)))
}
