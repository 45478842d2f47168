//! Scales frames where they are: on a GPU, if they are there.

use ffmpeg_next::filter::{self, Graph};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::{Error, frame};

use super::failure::{Failure, Result};
use super::ff;
use super::protocol::GpuStage;
use super::scaler::Scaler;
use super::time::TICK_BASE;

/// Whether a picture is in the memory of a GPU.
pub(super) fn is_on_gpu(picture: &frame::Video) -> bool {
    picture.format() == Pixel::CUDA
}

/// The picture in our own memory.
pub(super) fn downloaded(picture: &frame::Video) -> Result<frame::Video> {
    ff::download(picture)
        .map_err(|error| Failure::gpu(GpuStage::Device, "downloading a frame from the GPU", error))
}

/// Scales both kinds of pictures.
pub(super) struct AnyScaler {
    size: (u32, u32),
    in_memory: Scaler,
    on_gpu: OnGpu,
}

enum OnGpu {
    Untried,
    Ready(Graph),
    /// This build of ffmpeg or this GPU cannot; pictures come down to be scaled.
    Refused,
}

impl AnyScaler {
    pub(super) fn new(size: (u32, u32)) -> Self {
        Self { size, in_memory: Scaler::new(size, Pixel::YUV420P), on_gpu: OnGpu::Untried }
    }

    /// The picture itself, if it has the size already.
    pub(super) fn run(&mut self, picture: &frame::Video) -> Result<frame::Video> {
        let failed = |error: Error| Failure::internal("scaling", error);
        if !is_on_gpu(picture) {
            return self.in_memory.run(picture).map_err(failed);
        }
        if (picture.width(), picture.height()) == self.size {
            return ff::share(picture).map_err(failed);
        }
        if matches!(self.on_gpu, OnGpu::Untried) {
            self.on_gpu = graph(picture, self.size).map_or(OnGpu::Refused, OnGpu::Ready);
        }
        match &mut self.on_gpu {
            OnGpu::Ready(graph) => through(graph, picture)
                .map_err(|error| Failure::gpu(GpuStage::Device, "scaling on the GPU", error)),
            OnGpu::Untried | OnGpu::Refused => self.in_memory.run(&downloaded(picture)?).map_err(failed),
        }
    }
}

/// Gives every picture memory of its own on the GPU, at one size. A decoder lends its surfaces and has few of them: whoever
/// keeps them in queues and encoders stops it.
pub(super) struct GpuCopier {
    size: (u32, u32),
    graph: Option<Graph>,
}

impl GpuCopier {
    pub(super) fn new(size: (u32, u32)) -> Self {
        Self { size, graph: None }
    }

    pub(super) fn run(&mut self, picture: &frame::Video) -> Result<frame::Video, Error> {
        let graph = match &mut self.graph {
            Some(graph) => graph,
            none => none.insert(graph(picture, self.size)?),
        };
        through(graph, picture)
    }
}

/// Without `passthrough=0` a picture that has the size already would stay where it is.
fn steps((width, height): (u32, u32)) -> String {
    format!("scale_cuda=w={width}:h={height}:interp_algo=bicubic:passthrough=0")
}

fn graph(like: &frame::Video, size: (u32, u32)) -> Result<Graph, Error> {
    let mut graph = Graph::new();
    ff::add_source(&mut graph, like, TICK_BASE)?;
    graph.add(&filter::find("buffersink").ok_or(Error::FilterNotFound)?, "out", "")?;
    graph.output("in", 0)?.input("out", 0)?.parse(&steps(size))?;
    graph.validate()?;
    Ok(graph)
}

/// One comes out for each that goes in.
fn through(graph: &mut Graph, picture: &frame::Video) -> Result<frame::Video, Error> {
    graph.get("in").ok_or(Error::Bug)?.source().add(picture)?;
    let mut smaller = frame::Video::empty();
    graph.get("out").ok_or(Error::Bug)?.sink().frame(&mut smaller)?;
    Ok(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_on_the_gpu_is_one_filter_that_ffmpeg_knows() {
        assert_eq!(steps((1280, 720)), "scale_cuda=w=1280:h=720:interp_algo=bicubic:passthrough=0");
        ffmpeg_next::init().unwrap();
        // A filter is made with its options before it sees a GPU, so a name or a value that it does not know fails.
        let words = steps((640, 360));
        let (name, options) = words.split_once('=').unwrap();
        let known = filter::find(name).unwrap();
        assert!(Graph::new().add(&known, "scaler", options).is_ok());
        assert!(Graph::new().add(&known, "scaler", "interp_algo=cubic").is_err());
        assert!(Graph::new().add(&known, "scaler", "pass=0").is_err());
    }

    #[test]
    fn a_picture_in_memory_is_scaled_in_memory() {
        ffmpeg_next::init().unwrap();
        let mut scaler = AnyScaler::new((64, 36));
        for format in [Pixel::YUV420P, Pixel::NV12, Pixel::YUV420P] {
            let picture = frame::Video::new(format, 128, 72);
            let smaller = scaler.run(&picture).unwrap();
            assert_eq!((smaller.width(), smaller.height(), smaller.format()), (64, 36, Pixel::YUV420P));
        }
    }
}
