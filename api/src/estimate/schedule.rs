//! Who takes what when: the queue played forward over the places of all workers.

use super::Span;

/// A place where one job at a time is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// When it is free.
    pub free: Span,
    /// Longer or shorter than usual.
    pub factor: f64,
}

/// Start and end of each job, given how long they take. From the first one of unknown length on nothing is known.
pub(super) fn play(places: &[Place], jobs: impl Iterator<Item = Option<Span>>) -> Vec<(Span, Span)> {
    let mut places = places.to_vec();
    let mut played = Vec::new();
    for length in jobs {
        let next = places.iter_mut().min_by(|a, b| a.free.likely.total_cmp(&b.free.likely));
        let (Some(place), Some(length)) = (next, length) else { break };
        let start = place.free;
        let end = Span {
            low: start.low + length.low * place.factor,
            likely: start.likely + length.likely * place.factor,
            high: start.high + length.high * place.factor,
        };
        place.free = end;
        played.push((start, end));
    }
    played
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: Span = Span { low: 8.0, likely: 10.0, high: 12.0 };

    #[test]
    fn jobs_follow_each_other_on_the_places_there_are() {
        let free = |likely| Place { free: Span { low: likely, likely, high: likely }, factor: 1.0 };
        let played = play(&[free(0.0), free(4.0)], [Some(TEN); 3].into_iter());
        let ends: Vec<_> = played.iter().map(|(_, end)| end.likely).collect();
        assert_eq!(ends, [10.0, 14.0, 20.0]);
        assert!((played[2].1.high - 24.0).abs() < 1e-9, "uncertainty adds up");
    }

    #[test]
    fn nothing_is_known_behind_a_job_of_unknown_length_or_without_a_place() {
        let place = Place { free: Span::default(), factor: 1.0 };
        assert_eq!(play(&[place], [Some(TEN), None, Some(TEN)].into_iter()).len(), 1);
        assert!(play(&[], [Some(TEN)].into_iter()).is_empty());
    }
}
