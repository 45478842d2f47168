//! Graphs of ffmpeg's filters: frames in at one end, frames out at the other.

use ffmpeg_next::filter::{self, Graph};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::{Error, frame};

use super::ff;
use super::time::TICK_BASE;

/// For frames of this format and size; they go into `in` and come out of `out`.
pub(super) fn graph(format: Pixel, (width, height): (u32, u32), steps: &str) -> Result<Graph, Error> {
    let mut graph = Graph::new();
    let name = format.descriptor().ok_or(Error::InvalidData)?.name();
    let args = format!(
        "video_size={width}x{height}:pix_fmt={name}:time_base={}/{}:pixel_aspect=1/1",
        TICK_BASE.0, TICK_BASE.1
    );
    let (source, sink) = (filter::find("buffer"), filter::find("buffersink"));
    graph.add(&source.ok_or(Error::FilterNotFound)?, "in", &args)?;
    graph.add(&sink.ok_or(Error::FilterNotFound)?, "out", "")?;
    graph.output("in", 0)?.input("out", 0)?.parse(steps)?;
    graph.validate()?;
    Ok(graph)
}

/// A single frame through filters that give one for one.
pub(super) fn once(picture: &frame::Video, steps: &str) -> Result<frame::Video, Error> {
    let mut graph = graph(picture.format(), (picture.width(), picture.height()), steps)?;
    // What is added is emptied; the picture is needed again.
    let shared = ff::share(picture)?;
    graph.get("in").ok_or(Error::Bug)?.source().add(&shared)?;
    let mut out = frame::Video::empty();
    graph.get("out").ok_or(Error::Bug)?.sink().frame(&mut out)?;
    Ok(out)
}
