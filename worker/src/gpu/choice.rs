//! `FRAMEFARM_GPUS`: which GPUs the worker may use.

use std::convert::Infallible;
use std::str::FromStr;

use super::snapshot::Found;

/// A shorter beginning of an id could be a number, or mean several GPUs by accident.
const SHORTEST_BEGINNING: usize = 4;

/// Which GPUs the worker may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    #[default]
    All,
    None,
    /// Numbers, ids or beginnings of ids, render nodes.
    These(Vec<String>),
}

impl FromStr for Choice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let words: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        Ok(match words.as_slice() {
            [] | ["all"] => Self::All,
            ["none"] => Self::None,
            words => Self::These(words.iter().map(|word| (*word).to_owned()).collect()),
        })
    }
}

impl Choice {
    /// The GPUs that are chosen, and words for each entry that chooses none.
    pub(super) fn apply(&self, found: Vec<Found>) -> (Vec<Found>, Vec<String>) {
        let words = match self {
            Self::All => return (found, Vec::new()),
            Self::None => return (Vec::new(), Vec::new()),
            Self::These(words) => words,
        };
        let mut missing = Vec::new();
        let mut chosen = vec![false; found.len()];
        for word in words {
            let hits: Vec<usize> = (0..found.len()).filter(|at| is_meant(word, &found[*at])).collect();
            match hits.as_slice() {
                [one] => chosen[*one] = true,
                [] => missing
                    .push(format!("FRAMEFARM_GPUS: `{word}` matches none of the GPUs: {}", names(&found))),
                _ => missing.push(format!(
                    "FRAMEFARM_GPUS: `{word}` matches {} GPUs; use a longer part of the ID",
                    hits.len()
                )),
            }
        }
        let kept = found.into_iter().zip(chosen).filter_map(|(gpu, chosen)| chosen.then_some(gpu));
        (kept.collect(), missing)
    }
}

fn is_meant(word: &str, gpu: &Found) -> bool {
    if word.parse() == Ok(gpu.place.ordinal) && word.len() < SHORTEST_BEGINNING {
        return true;
    }
    let (word, id) = (word.to_ascii_lowercase(), gpu.id.to_ascii_lowercase());
    if !gpu.is_nvidia() {
        return word.strip_prefix("/dev/dri/").unwrap_or(&word) == id;
    }
    let bare = word.strip_prefix("gpu-").unwrap_or(&word);
    bare.len() >= SHORTEST_BEGINNING && id.strip_prefix("gpu-").unwrap_or(&id).starts_with(bare)
}

fn names(found: &[Found]) -> String {
    if found.is_empty() {
        return "there are none".to_owned();
    }
    found.iter().map(|gpu| format!("{} ({})", gpu.place.ordinal, gpu.id)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use framefarm_shared::gpu::GpuKind;

    use super::*;
    use crate::gpu::Place;

    fn gpu(ordinal: u32, id: &str) -> Found {
        let kind = if id.starts_with("GPU-") { GpuKind::Nvenc } else { GpuKind::Vaapi };
        let place = Place { ordinal, pci: None, node: None };
        Found {
            id: id.to_owned(),
            kinds: vec![kind],
            name: String::new(),
            memory_bytes: None,
            place,
            mig: None,
        }
    }

    fn chosen(text: &str) -> (Vec<u32>, Vec<String>) {
        let gpus = vec![gpu(0, "GPU-5c2f0000-1"), gpu(1, "GPU-5c2f1111-2"), gpu(2, "renderD128")];
        let Ok(choice) = text.parse::<Choice>();
        let (kept, missing) = choice.apply(gpus);
        (kept.iter().map(|gpu| gpu.place.ordinal).collect(), missing)
    }

    #[test]
    fn gpus_are_chosen_by_number_by_id_and_by_render_node() {
        for (text, gpus) in [
            ("all", vec![0, 1, 2]),
            ("", vec![0, 1, 2]),
            ("none", vec![]),
            ("1", vec![1]),
            ("1, 0 ,1", vec![0, 1]),
            ("GPU-5c2f1111-2", vec![1]),
            ("gpu-5C2F1", vec![1]),
            ("5c2f00", vec![0]),
            ("renderD128", vec![2]),
            ("/dev/dri/renderD128,0", vec![0, 2]),
        ] {
            assert_eq!(chosen(text), (gpus, vec![]), "{text}");
        }
    }

    #[test]
    fn an_entry_that_means_no_gpu_or_several_is_told() {
        for (text, told) in [
            (
                "7",
                "FRAMEFARM_GPUS: `7` matches none of the GPUs: 0 (GPU-5c2f0000-1), 1 (GPU-5c2f1111-2), 2 (renderD128)",
            ),
            ("gpu-5c2f", "FRAMEFARM_GPUS: `gpu-5c2f` matches 2 GPUs; use a longer part of the ID"),
        ] {
            assert_eq!(chosen(text), (vec![], vec![told.to_owned()]), "{text}");
        }
        for text in ["GPU-", "renderD129", "render", "all,x", "-1"] {
            assert!(!chosen(text).1.is_empty(), "{text}");
        }
        assert!(Choice::These(vec!["0".to_owned()]).apply(vec![]).1[0].contains("there are none"));
    }
}
