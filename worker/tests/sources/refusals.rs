//! What is said of a file that cannot be read.

use framefarm_worker::encoder::protocol::{ProbeTask, Report};

use crate::clip::{Clip, Source, X264};
use crate::driver::Running;

fn refusal(source: &Source) -> String {
    let ended = Running::start("probe", &ProbeTask { source: source.path.clone(), copy: true }).finish();
    let [.., Report::Failed { class, message }] = &ended.said[..] else { panic!("{:?}", ended.said) };
    assert_eq!(class.to_string(), "input_invalid");
    message.clone()
}

#[test]
fn a_file_that_was_cut_off_before_its_index_is_said_to_be() {
    for name in ["clip.mp4", "clip.mov"] {
        for percent in [5, 50, 98] {
            let whole = Clip::usual().with(X264).with("-c:a aac").save(name);
            let cut = whole.changed(|bytes| bytes[..bytes.len() * percent / 100].to_vec());
            let told = refusal(&cut);
            assert_eq!(
                told,
                "the file's index (moov) is missing; it was probably cut off while copying. Copy it again",
                "{percent} %"
            );
        }
    }
}

#[test]
fn a_file_that_is_no_video_is_not_said_to_be_cut_off() {
    for bytes in [&b"This is a letter."[..], &[7; 5000], b"\0\0\0\x10ftypisom\0\0\x02\0"] {
        let clip = Clip::usual().with(X264).with("-c:a aac").save("clip.mp4").changed(|_| bytes.to_vec());
        let told = refusal(&clip);
        assert!(!told.contains("is missing"), "{told}");
    }
}
