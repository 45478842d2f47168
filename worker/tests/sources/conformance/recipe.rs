//! A source as the commands that make it, written the way one would type them.
//!
//! Commands are parted by ` ; ` and run in one directory; the last file named is the source. Each is the arguments of ffmpeg,
//! parted by spaces, in which these words stand for longer ones:
//!
//! | word | is |
//! |---|---|
//! | `V(d)`, `V(d,rate)`, `V(d,rate,size)` | black for `d` seconds, white for 80 ms from every second on (frame `n` times the rounded rate) |
//! | `A(rate,d)`, `A(rate,d,period)` | 1 kHz for 80 ms from every second (or period) on |
//! | `S(rate,d)` | two sines without a pause, for joins that must not be heard |
//! | `P(d)`, `P(d,size)` | sixteen patches of known colours, as RGB |
//! | `C(layout)` | the one channel on all channels of a layout, near full scale |
//! | `X` | H.264 as quick as it goes |
//!
//! `cat a b > c` joins files, `cut 2/3 a` keeps so much of a file, `lose 40 a` drops 40 packets of a transport stream amid it,
//! `blank a` overwrites a twentieth of a file at its middle, `cues 14 a` writes subtitles for 14 seconds, one with each flash.

use std::path::Path;

use crate::clip::{Source, X264};
use crate::media::{ffmpeg, run};

/// Of the patches: eight columns of all corners of the RGB cube, in two rows.
pub(crate) const COLUMNS: usize = 8;
/// How much of full scale the beeps have: no codec clips there.
const LEVEL: f64 = 0.5;
/// How much louder the channels of `C` are: what is mixed down without a thought clips.
const LOUD: f64 = 1.8;
/// Of `S`, in hertz: neither is a multiple of anything.
pub(crate) const SINES: [f64; 2] = [441.3, 1237.7];
/// A packet of a transport stream.
const PACKET: usize = 188;

pub(crate) fn make(recipe: &str) -> Source {
    let scratch = tempfile::tempdir().unwrap();
    let mut last = String::new();
    for command in recipe.split(" ; ") {
        let words: Vec<_> = command.split_whitespace().collect();
        words[words.len() - 1].clone_into(&mut last);
        step(scratch.path(), &words);
    }
    Source { path: scratch.path().join(last), scratch }
}

fn step(directory: &Path, words: &[&str]) {
    let read = |name: &str| std::fs::read(directory.join(name)).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes).unwrap();
    match words {
        ["cat", parts @ .., ">", name] => {
            write(name, &parts.iter().flat_map(|part| read(part)).collect::<Vec<u8>>());
        }
        ["cut", share, name] => {
            let (part, whole) = share.split_once('/').unwrap();
            let (part, whole): (usize, usize) = (part.parse().unwrap(), whole.parse().unwrap());
            let bytes = read(name);
            write(name, &bytes[..bytes.len() * part / whole]);
        }
        ["lose", packets, name] => {
            let (bytes, packets): (_, usize) = (read(name), packets.parse().unwrap());
            let from = bytes.len() / PACKET / 2 * PACKET;
            write(name, &[&bytes[..from], &bytes[from + packets * PACKET..]].concat());
        }
        ["cues", seconds, name] => {
            let cue =
                |at: u32| format!("{at}\n00:00:{at:02},000 --> 00:00:{at:02},500\nThe <i>{at}</i>th\n\n");
            write(name, (1..seconds.parse().unwrap()).map(cue).collect::<String>().as_bytes());
        }
        ["blank", name] => {
            let mut bytes = read(name);
            let (middle, length) = (bytes.len() / 2, bytes.len() / 20);
            bytes[middle..middle + length].fill(0);
            write(name, &bytes);
        }
        _ => {
            let words = words.iter().flat_map(|word| expanded(word));
            run(ffmpeg().env("SVT_LOG", "0").current_dir(directory).args(words));
        }
    }
}

fn expanded(word: &str) -> Vec<String> {
    if word == "X" {
        return X264.split(' ').map(str::to_owned).collect();
    }
    let call = word.strip_suffix(')').and_then(|word| word.split_once('('));
    let Some((name, arguments)) = call else { return vec![word.to_owned()] };
    let values: Vec<_> = arguments.split(',').collect();
    let value = |at: usize, usual: &'static str| values.get(at).copied().unwrap_or(usual);
    let input = |graph: String| ["-f", "lavfi", "-i", &graph].map(str::to_owned).to_vec();
    match name {
        "V" => input(flashes(value(0, ""), value(1, "25"), value(2, "192x108"))),
        "A" => input(beeps(value(0, ""), value(1, ""), value(2, "1"))),
        "S" => {
            let [low, high] = SINES;
            let waves = format!("sin(2*PI*{low}*t)/4+sin(2*PI*{high}*t)/4");
            input(format!("aevalsrc='{waves}':s={}:d={}", values[0], values[1]))
        }
        "P" => input(patches(value(0, ""), value(1, "192x108"))),
        "C" => {
            let channels: Vec<_> =
                (0..count(values[0])).map(|channel| format!("c{channel}={LOUD}*c0")).collect();
            vec!["-af".to_owned(), format!("pan={}|{}", values[0], channels.join("|"))]
        }
        _ => vec![word.to_owned()],
    }
}

fn flashes(seconds: &str, rate: &str, size: &str) -> String {
    let period = period(rate);
    let white = (period * 2).div_ceil(25);
    let lit = format!("lt(mod(n,{period}),{white})*gte(n,{period})");
    format!("color=black:s={size}:r={rate}:d={seconds},drawbox=c=white:t=fill:enable='{lit}'")
}

/// From one flash to the next, in frames.
fn period(rate: &str) -> u64 {
    let rate = match rate.split_once('/') {
        Some((frames, seconds)) => frames.parse::<f64>().unwrap() / seconds.parse::<f64>().unwrap(),
        None => rate.parse().unwrap(),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a frame rate")]
    let frames = rate.round() as u64;
    frames.max(2)
}

fn beeps(rate: &str, seconds: &str, period: &str) -> String {
    let heard = format!("lt(mod(t+1e-9,{period}),0.08)*gte(t,0.5)");
    format!("aevalsrc='{LEVEL}*sin(2*PI*1000*t)*{heard}':s={rate}:d={seconds}")
}

/// The upper row goes from 0 to 255, the lower from 60 to 180.
fn patches(seconds: &str, size: &str) -> String {
    let bit = |bit: u32| format!("mod(floor(X*{COLUMNS}/W/{}),2)", 1 << bit);
    let level = |at: u32| format!("if(lt(Y,H/2),255*{0},60+120*{0})", bit(at));
    let [red, green, blue] = [0, 1, 2].map(level);
    let still = format!("color=black:s={size}:r=25:d=0.04,format=gbrp,geq=r='{red}':g='{green}':b='{blue}'");
    format!("{still},loop=-1:1:0,setpts=N/25/TB,trim=duration={seconds}")
}

/// The RGB of a patch.
pub(crate) fn patch(column: usize, row: usize) -> [u8; 3] {
    [0, 1, 2].map(|bit| match (column >> bit & 1, row) {
        (0, 0) => 0,
        (_, 0) => 255,
        (0, _) => 60,
        _ => 180,
    })
}

fn count(layout: &str) -> usize {
    match layout {
        "mono" => 1,
        "stereo" => 2,
        "2.1" | "3.0" => 3,
        "quad" | "4.0" | "3.1" => 4,
        "5.0" | "4.1" => 5,
        "5.1" | "6.0" => 6,
        "6.1" => 7,
        "7.1" => 8,
        other => panic!("the layout {other}"),
    }
}

/// The seconds of the first `V` or `A` of a recipe of one command.
pub(crate) fn seconds(recipe: &str) -> Option<f64> {
    if recipe.contains(" ; ") {
        return None;
    }
    let argument = |name: &str, at: usize| {
        let word = recipe.split_whitespace().find_map(|word| word.strip_prefix(name))?;
        word.strip_suffix(')')?.split(',').nth(at)?.parse().ok()
    };
    argument("V(", 0)
        .or_else(|| argument("P(", 0))
        .or_else(|| argument("A(", 1))
        .or_else(|| argument("S(", 1))
}
