//! From a decoded frame to the picture that all qualities are scaled from: progressive, upright, square pixels,
//! eight bits, standard dynamic range, the colours that are written, at the size of the largest quality.

use ffmpeg_next::filter::Graph;
use ffmpeg_next::format::Pixel;
use ffmpeg_next::util::color::{Primaries, Space, TransferCharacteristic};
use ffmpeg_next::{Error, frame};

use super::colors::{self, Reading};
use super::failure::{Failure, Result};
use super::filters;
use super::input::{Hdr, SourceVideo};
use super::time::{TICK_BASE, rescale};

/// Everything that must stay the same for one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    width: u32,
    height: u32,
    format: Pixel,
    interlaced: bool,
    reading: Reading,
}

pub(super) struct FramePreparer {
    video: SourceVideo,
    size: (u32, u32),
    graph: Option<(Shape, Option<Graph>)>,
}

impl FramePreparer {
    pub(super) fn new(video: &SourceVideo, size: (u32, u32)) -> Self {
        Self { video: video.clone(), size, graph: None }
    }

    /// Takes a frame whose `pts` is in ticks and gives what comes out, in ticks again.
    pub(super) fn push(&mut self, frame: frame::Video, out: &mut Vec<frame::Video>) -> Result<()> {
        let interlaced = self.video.interlaced
            || frame.is_interlaced()
            || self.graph.as_ref().is_some_and(|(shape, _)| shape.interlaced);
        let (width, height, format) = (frame.width(), frame.height(), frame.format());
        let reading = Reading::of(&frame, self.video.source_colors, self.video.codec);
        let shape = Shape { width, height, format, interlaced, reading };
        if self.graph.as_ref().is_none_or(|(known, _)| *known != shape) {
            self.finish(out)?;
            self.graph = Some((shape, self.build(shape)?));
        }
        let Some((_, Some(graph))) = &mut self.graph else {
            out.push(frame);
            return Ok(());
        };
        let fed = graph.get("in").ok_or(Error::Bug).and_then(|mut fed| fed.source().add(&frame));
        fed.map_err(|error| Failure::invalid(format!("a frame could not be filtered: {error}")))?;
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
        let made = filters::graph(shape.format, (shape.width, shape.height), &steps);
        made.map(Some).map_err(|error| {
            Failure::invalid(format!(
                "{:?} frames of {}x{} cannot be filtered: {error}",
                shape.format, shape.width, shape.height
            ))
        })
    }

    fn steps(&self, shape: Shape) -> Option<String> {
        let mut steps = Vec::new();
        let rgb = shape.reading.rgb;
        if shape.interlaced {
            // In a format that the filter takes as it is: what ffmpeg converts by itself gets the matrix it likes.
            steps.extend(rgb.then(|| "format=gbrp|gbrap".to_owned()));
            steps.push("bwdif=mode=send_frame:deint=interlaced".to_owned());
        }
        if colors::has_alpha(shape.format) {
            steps.push(on_black(rgb).to_owned());
        }
        steps.extend(self.conversion(shape));
        steps.extend(turning(self.video.turns, self.video.mirrored).map(str::to_owned));
        if steps.is_empty() {
            return None;
        }
        steps.push("format=yuv420p,setsar=1".to_owned());
        Some(steps.join(","))
    }

    /// To the size, format and colours that are wanted; none if it has them.
    fn conversion(&self, shape: Shape) -> Option<String> {
        let turned = self.video.turns % 2 == 1;
        let (width, height) = if turned { (self.size.1, self.size.0) } else { self.size };
        let (source, written) = (self.video.source_colors, self.video.colors);
        let scale = format!("scale={width}:{height}:flags=bicubic+accurate_rnd");
        let planar = if shape.reading.rgb { "format=gbrp16le," } else { "" };
        if let Some(hdr) = self.video.hdr {
            return Some(format!("{planar}{scale},{}", tone_mapping(hdr, shape.reading)));
        }
        if source.is_wide() {
            let (primaries, curve) = (source.primaries, source.transfer);
            return Some(format!("{planar}{scale},{}", into_bt709(primaries, curve, shape.reading)));
        }
        let resized = (shape.width, shape.height) != (width, height);
        if !resized && shape.format == Pixel::YUV420P && shape.reading.is_written_as(written.space) {
            return None;
        }
        Some(format!("{scale}:{}", meaning(shape.reading, written.space)))
    }
}

/// What the numbers mean before and after scaling, in the options of the filter.
fn meaning(reading: Reading, written: Space) -> String {
    let (from, to) = (colors::matrix(reading.space), colors::matrix(written));
    let range = if reading.full { "pc" } else { "tv" };
    match (from, to) {
        (_, Some(to)) if reading.rgb => format!("out_color_matrix={to}:out_range=tv"),
        (Some(from), Some(to)) => {
            format!("in_color_matrix={from}:in_range={range}:out_color_matrix={to}:out_range=tv")
        }
        // A matrix that the filter does not know stays what it is.
        _ => format!("in_range={range}:out_range=tv"),
    }
}

/// The filter that multiplies with alpha takes no packed pixels.
fn on_black(rgb: bool) -> &'static str {
    if rgb {
        "format=gbrap|gbrap10le|gbrap12le|gbrap16le,premultiply=inplace=1"
    } else {
        "premultiply=inplace=1"
    }
}

/// A mirrored picture is turned over before it is turned. Encoders do not expect the lines from bottom to top that a
/// bare `vflip` gives.
fn turning(turns: u8, mirrored: bool) -> Option<&'static str> {
    Some(match (mirrored, turns) {
        (false, 1) => "transpose=clock",
        (false, 2) => "vflip,hflip",
        (false, 3) => "transpose=cclock",
        (false, _) => return None,
        (true, 1) => "vflip,transpose=clock",
        (true, 2) => "hflip",
        (true, 3) => "vflip,transpose=cclock",
        (true, _) => "vflip,copy",
    })
}

/// Scaled first, since this works on floats.
fn tone_mapping(hdr: Hdr, reading: Reading) -> String {
    let curve = match hdr {
        Hdr::Pq => "smpte2084",
        Hdr::Hlg => "arib-std-b67",
    };
    format!(
        "zscale=tin={curve}:pin=bt2020:{}:t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,\
         tonemap=tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv",
        zscale_input(reading)
    )
}

/// Standard range in wide colours: what BT.709 does not have is clipped.
fn into_bt709(primaries: Primaries, curve: TransferCharacteristic, reading: Reading) -> String {
    let primaries = if primaries == Primaries::BT2020 { "bt2020" } else { "bt709" };
    let curve = if curve == TransferCharacteristic::IEC61966_2_1 { "iec61966-2-1" } else { "bt709" };
    format!("zscale=pin={primaries}:tin={curve}:{}:p=bt709:t=bt709:m=bt709:r=tv", zscale_input(reading))
}

fn zscale_input(reading: Reading) -> String {
    if reading.rgb {
        return "min=gbr:rin=pc".to_owned();
    }
    let matrix = match reading.space {
        Space::BT709 => "bt709",
        Space::BT470BG | Space::SMPTE170M => "smpte170m",
        Space::BT2020CL => "bt2020c",
        Space::YCGCO => "ycgco",
        Space::ICTCP => "ictcp",
        _ => "bt2020nc",
    };
    format!("min={matrix}:rin={}", if reading.full { "pc" } else { "tv" })
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
            Err(error) => return Err(Failure::invalid(format!("a frame could not be filtered: {error}"))),
        }
    }
}
