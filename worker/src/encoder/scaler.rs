//! Makes a picture smaller, into frames that are used again and again.

use ffmpeg_next::format::Pixel;
use ffmpeg_next::software::scaling::{Context, Flags};
use ffmpeg_next::{Error, frame};

use super::ff;

/// Reused once nobody reads them any more; a fresh frame costs the kernel thousands of pages.
#[derive(Default)]
struct Pool {
    frames: Vec<frame::Video>,
}

impl Pool {
    fn take(&mut self, format: Pixel, (width, height): (u32, u32)) -> &mut frame::Video {
        let free = self.frames.iter().position(ff::is_unshared);
        let free = free.unwrap_or_else(|| {
            self.frames.push(frame::Video::new(format, width, height));
            self.frames.len() - 1
        });
        &mut self.frames[free]
    }
}

pub(super) struct Scaler {
    size: (u32, u32),
    format: Pixel,
    context: Option<Context>,
    pool: Pool,
}

impl Scaler {
    pub(super) fn new(size: (u32, u32), format: Pixel) -> Self {
        Self { size, format, context: None, pool: Pool::default() }
    }

    pub(super) fn format(&self) -> Pixel {
        self.format
    }

    /// The picture itself, if it has the size and format already.
    pub(super) fn run(&mut self, picture: &frame::Video) -> Result<frame::Video, Error> {
        let ((width, height), format) = (self.size, self.format);
        if (picture.width(), picture.height()) == self.size && picture.format() == format {
            return ff::share(picture);
        }
        // What comes changes only when a GPU is left on the way.
        let same = |context: &Context| {
            let from = context.input();
            (from.format, from.width, from.height) == (picture.format(), picture.width(), picture.height())
        };
        let context = match self.context.take().filter(same) {
            Some(context) => self.context.insert(context),
            None => self.context.insert(Context::get(
                picture.format(),
                picture.width(),
                picture.height(),
                format,
                width,
                height,
                Flags::BICUBIC,
            )?),
        };
        let smaller = self.pool.take(format, self.size);
        context.run(picture, smaller)?;
        smaller.set_pts(picture.pts());
        ff::share(smaller)
    }
}
