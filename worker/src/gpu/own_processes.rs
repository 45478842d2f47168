//! Which of the programs on a GPU are ours.

use std::collections::HashSet;

/// What the kernel calls the namespace that the machine starts with.
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// Tells processes of this worker from others.
#[derive(Debug, Default)]
pub(super) struct Ours {
    known: HashSet<u32>,
}

impl Ours {
    /// Those that are not ours, of the ones that a driver names.
    ///
    /// One that was ours the last time stays ours: it may have ended since the driver named it.
    pub(super) fn strangers<'a, T>(&mut self, named: &'a [T], id: impl Fn(&T) -> u32) -> Vec<&'a T> {
        let is_ours = |id| self.known.contains(&id) || crate::child::descends_from_us(id);
        let ours: HashSet<u32> = named.iter().map(&id).filter(|id| is_ours(*id)).collect();
        let strangers = named.iter().filter(|process| !ours.contains(&id(process))).collect();
        self.known = ours;
        strangers
    }
}

/// The driver counts processes as the whole machine does. In a container its numbers mean nothing, and every encoder
/// of ours would look like a stranger.
pub(super) fn sees_the_machines_processes() -> bool {
    std::fs::read_link("/proc/self/ns/pid").is_ok_and(|namespace| namespace.as_os_str() == FIRST_NAMESPACE)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn children_are_ours_and_stay_it_to_the_end_and_their_number_does_not() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let named = [std::process::id(), child.id(), 1, 4_100_000];
        let mut ours = Ours::default();
        let mut strangers =
            |named: &[u32]| ours.strangers(named, |id| *id).into_iter().copied().collect::<Vec<_>>();
        assert_eq!(strangers(&named), [1, 4_100_000]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(strangers(&named), [1, 4_100_000], "it was ours when the driver named it");
        assert_eq!(strangers(&[]), [] as [u32; 0]);
        assert_eq!(strangers(&[child.id()]), [child.id()]);
    }
}
