//! From a decoded frame to the picture that all qualities are scaled from: progressive, upright, square pixels,
//! eight bits, standard dynamic range, at the size of the largest quality.

use ffmpeg_next::filter::{self, Graph};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::util::color;
use ffmpeg_next::{Error, frame};

use super::failure::{Failure, Result};
use super::input::{Hdr, Picture};
use super::time::{TICK_BASE, rescale};

/// Everything that must stay the same for one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    width: u32,
    height: u32,
    format: Pixel,
    interlaced: bool,
    /// Black is 0 and white is 255, whatever the format says.
    full: bool,
}

pub(super) struct Front {
    picture: Picture,
    size: (u32, u32),
    graph: Option<(Shape, Option<Graph>)>,
}

impl Front {
    pub(super) fn new(picture: &Picture, size: (u32, u32)) -> Self {
        Self { picture: picture.clone(), size, graph: None }
    }

    /// Takes a frame whose `pts` is in ticks and gives what comes out, in ticks again.
    pub(super) fn push(&mut self, frame: frame::Video, out: &mut Vec<frame::Video>) -> Result<()> {
        let interlaced = self.picture.interlaced
            || frame.is_interlaced()
            || self.graph.as_ref().is_some_and(|(shape, _)| shape.interlaced);
        let (width, height, format) = (frame.width(), frame.height(), frame.format());
        let full = frame.color_range() == color::Range::JPEG;
        let shape = Shape { width, height, format, interlaced, full };
        if self.graph.as_ref().is_none_or(|(known, _)| *known != shape) {
            self.finish(out)?;
            self.graph = Some((shape, self.build(shape)?));
        }
        let Some((_, Some(graph))) = &mut self.graph else {
            out.push(frame);
            return Ok(());
        };
        let fed = graph.get("in").ok_or(Error::Bug).and_then(|mut fed| fed.source().add(&frame));
        fed.map_err(|error| Failure::invalid(format!("a frame could not be prepared: {error}")))?;
        drain(graph, out)
    }

    /// What came before does not lead to what comes next.
    pub(super) fn forget(&mut self) {
        self.graph = None;
    }

    /// A deinterlacer holds a frame back.
    pub(super) fn finish(&mut self, out: &mut Vec<frame::Video>) -> Result<()> {
        let Some((_, Some(mut graph))) = self.graph.take() else { return Ok(()) };
        if let Some(mut fed) = graph.get("in") {
            fed.source().flush().map_err(|error| Failure::internal("filter", error))?;
        }
        drain(&mut graph, out)
    }

    /// None if the frame can be used as it is.
    fn build(&self, shape: Shape) -> Result<Option<Graph>> {
        let Some(steps) = self.steps(shape) else { return Ok(None) };
        let made = graph(shape, &steps);
        made.map(Some).map_err(|error| {
            Failure::invalid(format!(
                "frames of {:?} {}x{} cannot be prepared: {error}",
                shape.format, shape.width, shape.height
            ))
        })
    }

    fn steps(&self, shape: Shape) -> Option<String> {
        let mut steps = Vec::new();
        if shape.interlaced {
            steps.push("bwdif=mode=send_frame:deint=interlaced".to_owned());
        }
        let turned = self.picture.turns % 2 == 1;
        let (width, height) = if turned { (self.size.1, self.size.0) } else { self.size };
        let resized = (shape.width, shape.height) != (width, height);
        match self.picture.hdr {
            Some(hdr) => steps.push(tone_mapping(hdr, width, height)),
            None if resized || shape.full || shape.format != Pixel::YUV420P => {
                steps.push(format!("scale={width}:{height}:flags=bicubic{}", levels(shape.format)));
            }
            None => {}
        }
        match self.picture.turns {
            1 => steps.push("transpose=clock".to_owned()),
            2 => steps.push("hflip,vflip".to_owned()),
            3 => steps.push("transpose=cclock".to_owned()),
            _ => {}
        }
        if steps.is_empty() {
            return None;
        }
        steps.push("format=yuv420p,setsar=1".to_owned());
        Some(steps.join(","))
    }
}

/// Full range and RGB become the limited range that players expect.
fn levels(format: Pixel) -> &'static str {
    let rgb = format.descriptor().is_some_and(|descriptor| {
        let name = descriptor.name();
        ["rgb", "bgr", "gbr", "pal8", "0rgb"].iter().any(|word| name.contains(word))
    });
    if rgb { ":out_color_matrix=bt709:out_range=tv" } else { ":out_range=tv" }
}

/// Scaled first, since the rest works on floats.
fn tone_mapping(hdr: Hdr, width: u32, height: u32) -> String {
    let curve = match hdr {
        Hdr::Pq => "smpte2084",
        Hdr::Hlg => "arib-std-b67",
    };
    format!(
        "scale={width}:{height}:flags=bicubic,\
         zscale=tin={curve}:pin=bt2020:min=bt2020nc:t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,\
         tonemap=tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv"
    )
}

fn graph(shape: Shape, steps: &str) -> Result<Graph, Error> {
    let mut graph = Graph::new();
    let name = shape.format.descriptor().ok_or(Error::InvalidData)?.name();
    let args = format!(
        "video_size={}x{}:pix_fmt={name}:time_base={}/{}:pixel_aspect=1/1",
        shape.width, shape.height, TICK_BASE.0, TICK_BASE.1
    );
    let (source, sink) = (filter::find("buffer"), filter::find("buffersink"));
    graph.add(&source.ok_or(Error::FilterNotFound)?, "in", &args)?;
    graph.add(&sink.ok_or(Error::FilterNotFound)?, "out", "")?;
    graph.output("in", 0)?.input("out", 0)?.parse(steps)?;
    graph.validate()?;
    Ok(graph)
}

fn drain(graph: &mut Graph, out: &mut Vec<frame::Video>) -> Result<()> {
    let mut sink = graph.get("out").ok_or_else(|| Failure::internal("filter", "no sink"))?;
    loop {
        let mut frame = frame::Video::empty();
        match sink.sink().frame(&mut frame) {
            Ok(()) => {
                let time_base = sink.sink().time_base();
                let pts = frame.pts().map(|pts| rescale(pts, time_base, TICK_BASE));
                frame.set_pts(pts);
                out.push(frame);
            }
            Err(Error::Eof | Error::Other { errno: ffmpeg_next::error::EAGAIN }) => return Ok(()),
            Err(error) => return Err(Failure::invalid(format!("a frame could not be prepared: {error}"))),
        }
    }
}
