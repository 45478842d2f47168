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
    fn take(&mut self, width: u32, height: u32) -> &mut frame::Video {
        let free = self.frames.iter().position(ff::is_unshared);
        let free = free.unwrap_or_else(|| {
            self.frames.push(frame::Video::new(Pixel::YUV420P, width, height));
            self.frames.len() - 1
        });
        &mut self.frames[free]
    }
}

pub(super) struct Scaler {
    size: (u32, u32),
    context: Option<Context>,
    pool: Pool,
}

impl Scaler {
    pub(super) fn new(size: (u32, u32)) -> Self {
        Self { size, context: None, pool: Pool::default() }
    }

    /// The picture itself, if it has the size already.
    pub(super) fn run(&mut self, picture: &frame::Video) -> Result<frame::Video, Error> {
        let (width, height) = self.size;
        if (picture.width(), picture.height()) == self.size {
            return ff::share(picture);
        }
        let context = match &mut self.context {
            Some(context) => context,
            none => none.insert(Context::get(
                picture.format(),
                picture.width(),
                picture.height(),
                Pixel::YUV420P,
                width,
                height,
                Flags::BICUBIC,
            )?),
        };
        let smaller = self.pool.take(width, height);
        context.run(picture, smaller)?;
        smaller.set_pts(picture.pts());
        ff::share(smaller)
    }
}
