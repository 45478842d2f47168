//! Places where packets of the picture were lost on the way, as the demuxer of a transport stream sees it. Decoders make up
//! what is missing without a word.

/// A packet that is marked may be the last but one before the loss.
const BEFORE: u8 = 2;

#[derive(Debug, Default)]
pub(super) struct Losses {
    /// A loss was marked so many packets ago.
    marked: Option<u8>,
}

impl Losses {
    /// True once for each loss. One before a keyframe is none: there, recordings were joined.
    pub(super) fn is_certain(&mut self, is_marked: bool, is_key: bool) -> bool {
        let ago = self.marked.take().filter(|_| !is_key).map(|ago| ago + 1);
        let is_certain = ago.is_some_and(|ago| ago > BEFORE);
        self.marked = if is_marked { Some(0) } else { ago.filter(|_| !is_certain) };
        is_certain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `c` is marked, `K` a keyframe.
    fn count(packets: &str) -> usize {
        let mut losses = Losses::default();
        packets.chars().filter(|packet| losses.is_certain(*packet == 'c', *packet == 'K')).count()
    }

    #[test]
    fn a_loss_inside_a_group_is_one_and_a_join_is_none() {
        assert_eq!(count("K--c-----K"), 1);
        assert_eq!(count("K--c-----K--c-----"), 2);
        assert_eq!(count("K----c-K----"), 0);
        assert_eq!(count("K----cK----"), 0);
        assert_eq!(count("K-----"), 0);
    }
}
