//! What a player must be able to decode when parts of one quality were coded differently (RFC 6381 strings).

/// The profile, tier and level that cover both. Of codecs that cannot be compared the known one stays.
pub(crate) fn most_demanding(known: &str, new: &str) -> String {
    let (Some((coding, a)), Some((other, b))) = (known.split_once('.'), new.split_once('.')) else {
        return known.to_owned();
    };
    let joined = match coding {
        _ if coding != other => None,
        "avc1" => avc(a, b),
        "hvc1" | "hev1" => hevc(a, b),
        "av01" => av1(a, b),
        _ => None,
    };
    joined.map_or_else(|| known.to_owned(), |rest| format!("{coding}.{rest}"))
}

/// `64001f`: profile, constraints and level, two hex digits each.
fn avc(a: &str, b: &str) -> Option<String> {
    let parse = |text: &str| {
        let bytes = u32::from_str_radix(text, 16).ok().filter(|_| text.len() == 6)?.to_be_bytes();
        let [_, profile, constraints, level] = bytes;
        Some((profile, constraints, level))
    };
    let (a, b) = (parse(a)?, parse(b)?);
    // A constraint is promised only if both keep it.
    let constraints = match a.0.cmp(&b.0) {
        std::cmp::Ordering::Less => b.1,
        std::cmp::Ordering::Equal => a.1 & b.1,
        std::cmp::Ordering::Greater => a.1,
    };
    Some(format!("{:02x}{constraints:02x}{:02x}", a.0.max(b.0), a.2.max(b.2)))
}

/// `2.4.L120.90`: profile, compatibility, tier and level, constraints.
fn hevc(a: &str, b: &str) -> Option<String> {
    struct Hevc<'a> {
        /// The space is a letter before the number.
        profile: (&'a str, u32),
        compatibility: &'a str,
        high: bool,
        level: u32,
        constraints: &'a str,
    }
    fn parse(text: &str) -> Option<Hevc<'_>> {
        let mut fields = text.splitn(4, '.');
        let (profile, compatibility, level) = (fields.next()?, fields.next()?, fields.next()?);
        let digits = profile.find(|c: char| c.is_ascii_digit())?;
        let (space, number) = profile.split_at(digits);
        let (tier, level) = level.split_at_checked(1)?;
        Some(Hevc {
            profile: (space, number.parse().ok()?),
            compatibility,
            high: tier == "H",
            level: level.parse().ok()?,
            constraints: fields.next().unwrap_or_default(),
        })
    }
    let (a, b) = (parse(a)?, parse(b)?);
    let (tier, level) = (if a.high || b.high { 'H' } else { 'L' }, a.level.max(b.level));
    let Hevc { profile: (space, profile), compatibility, constraints, .. } =
        if b.profile > a.profile { b } else { a };
    let dot = if constraints.is_empty() { "" } else { "." };
    Some(format!("{space}{profile}.{compatibility}.{tier}{level}{dot}{constraints}"))
}

/// `0.08M.10`: profile, level and tier, bits.
fn av1(a: &str, b: &str) -> Option<String> {
    let parse = |text: &str| {
        let mut fields = text.split('.');
        let (profile, level, depth) = (fields.next()?, fields.next()?, fields.next()?);
        let (level, tier) = level.split_at_checked(2)?;
        let number = |text: &str| text.parse::<u32>().ok();
        Some((number(profile)?, number(level)?, tier == "H", number(depth)?))
    };
    let (a, b) = (parse(a)?, parse(b)?);
    let tier = if a.2 || b.2 { 'H' } else { 'M' };
    Some(format!("{}.{:02}{tier}.{:02}", a.0.max(b.0), a.1.max(b.1), a.3.max(b.3)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_compared_as_numbers() {
        let cases = [
            ("hvc1.1.6.L93.90", "hvc1.1.6.L120.90", "hvc1.1.6.L120.90"),
            ("hvc1.1.6.L120.90", "hvc1.1.6.L93.90", "hvc1.1.6.L120.90"),
            ("hvc1.1.6.L93.90", "hvc1.2.4.L93.90", "hvc1.2.4.L93.90"),
            ("hvc1.2.4.L93.90", "hvc1.1.6.H150.B0", "hvc1.2.4.H150.90"),
            ("hev1.1.6.L63", "hev1.1.6.L153", "hev1.1.6.L153"),
            ("avc1.64001f", "avc1.640028", "avc1.640028"),
            ("avc1.640028", "avc1.4d401e", "avc1.640028"),
            ("avc1.4d4028", "avc1.64001f", "avc1.640028"),
            ("avc1.42c01e", "avc1.42001f", "avc1.42001f"),
            ("av01.0.08M.08", "av01.0.12M.08", "av01.0.12M.08"),
            ("av01.0.05M.10", "av01.0.04H.08", "av01.0.05H.10"),
        ];
        for (known, new, told) in cases {
            assert_eq!(most_demanding(known, new), told, "{known} and {new}");
            assert_eq!(most_demanding(told, known), told, "{told} covers {known}");
            assert_eq!(most_demanding(told, new), told, "{told} covers {new}");
        }
    }

    #[test]
    fn what_cannot_be_compared_stays() {
        for new in ["hvc1.1.6.L93.90", "avc1.xyz", "avc1", "", "avc1.640", "mp4a.40.2"] {
            assert_eq!(most_demanding("avc1.64001f", new), "avc1.64001f");
        }
        assert_eq!(most_demanding("mp4a.40.2", "mp4a.40.5"), "mp4a.40.2");
        assert_eq!(most_demanding("hvc1.1.6.L\u{e9}", "hvc1.1.6.L93"), "hvc1.1.6.L\u{e9}");
    }
}
