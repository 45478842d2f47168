//! Languages of tracks as BCP 47 tags. Containers name them by ISO 639-2 (`eng`, `ger`), which players do not look for.

/// The longest tag that is kept.
const LONGEST: usize = 35;

/// Codes that say that nothing is said: undetermined, uncoded, no language.
const WITHOUT_LANGUAGE: [&str; 3] = ["und", "mis", "zxx"];

/// The code of ISO 639-1 for each of ISO 639-2, bibliographic or terminological, that has one; and what codes that were
/// withdrawn became.
const SHORT_CODES: &str = "\
    aar:aa abk:ab afr:af aka:ak alb:sq amh:am ara:ar arg:an arm:hy asm:as ava:av ave:ae aym:ay aze:az \
    bak:ba bam:bm baq:eu bel:be ben:bn bis:bi bod:bo bos:bs bre:br bul:bg bur:my cat:ca ces:cs \
    cha:ch che:ce chi:zh chu:cu chv:cv cor:kw cos:co cre:cr cym:cy cze:cs dan:da deu:de div:dv dut:nl \
    dzo:dz ell:el eng:en epo:eo est:et eus:eu ewe:ee fao:fo fas:fa fij:fj fin:fi fra:fr fre:fr fry:fy \
    ful:ff geo:ka ger:de gla:gd gle:ga glg:gl glv:gv gre:el grn:gn guj:gu hat:ht hau:ha heb:he her:hz \
    hin:hi hmo:ho hrv:hr hun:hu hye:hy ibo:ig ice:is ido:io iii:ii iku:iu ile:ie in:id ina:ia ind:id \
    ipk:ik isl:is ita:it iw:he jav:jv ji:yi jpn:ja jw:jv kal:kl kan:kn kas:ks kat:ka kau:kr kaz:kk \
    khm:km kik:ki kin:rw kir:ky kom:kv kon:kg kor:ko kua:kj kur:ku lao:lo lat:la lav:lv lim:li lin:ln \
    lit:lt ltz:lb lub:lu lug:lg mac:mk mah:mh mal:ml mao:mi mar:mr may:ms mkd:mk mlg:mg mlt:mt mo:ro \
    mol:ro mon:mn mri:mi msa:ms mya:my nau:na nav:nv nbl:nr nde:nd ndo:ng nep:ne nld:nl nno:nn nob:nb \
    nor:no nya:ny oci:oc oji:oj ori:or orm:om oss:os pan:pa per:fa pli:pi pol:pl por:pt pus:ps que:qu \
    roh:rm ron:ro rum:ro run:rn rus:ru sag:sg san:sa scc:sr scr:hr sin:si slk:sk slo:sk slv:sl sme:se \
    smo:sm sna:sn snd:sd som:so sot:st spa:es sqi:sq srd:sc srp:sr ssw:ss sun:su swa:sw swe:sv tah:ty \
    tam:ta tat:tt tel:te tgk:tg tgl:tl tha:th tib:bo tir:ti ton:to tsn:tn tso:ts tuk:tk tur:tr twi:tw \
    uig:ug ukr:uk urd:ur uzb:uz ven:ve vie:vi vol:vo wel:cy wln:wa wol:wo xho:xh yid:yi yor:yo zha:za \
    zho:zh zul:zu";

/// The tag as BCP 47 has it: the shortest code of the language, script and region in their usual case. None if it names
/// no language.
pub fn normalized(tag: &str) -> Option<String> {
    // A transport stream names two languages as `eng,fra`; a locale may carry a charset.
    let first = tag.trim().split([',', ';', '/', '.', '@', ' ']).next()?;
    let mut subtags = first.split(['-', '_']);
    let language = subtags.next()?.to_ascii_lowercase();
    let is_code = matches!(language.len(), 2 | 3) && language.bytes().all(|b| b.is_ascii_lowercase());
    if !is_code || WITHOUT_LANGUAGE.contains(&language.as_str()) {
        return None;
    }
    let mut out = short_code(&language).unwrap_or(&language).to_owned();
    for (place, subtag) in subtags.enumerate() {
        let fits = (1..=8).contains(&subtag.len()) && subtag.bytes().all(|b| b.is_ascii_alphanumeric());
        if !fits || out.len() + 1 + subtag.len() > LONGEST {
            break;
        }
        out.push('-');
        out.push_str(&cased(place, subtag));
    }
    // A single letter or digit announces subtags; without them it means nothing.
    while let Some((before, [_])) = out.rsplit_once('-').map(|(before, last)| (before, last.as_bytes())) {
        out.truncate(before.len());
    }
    Some(out)
}

fn short_code(language: &str) -> Option<&'static str> {
    let mut pairs = SHORT_CODES.split_ascii_whitespace().filter_map(|pair| pair.split_once(':'));
    pairs.find_map(|(code, short)| (code == language).then_some(short))
}

/// `Hant`, `TW`, everything else small.
fn cased(place: usize, subtag: &str) -> String {
    let is_word = subtag.bytes().all(|b| b.is_ascii_alphabetic());
    match subtag.len() {
        2 if is_word && place < 2 => subtag.to_ascii_uppercase(),
        4 if is_word && place == 0 => {
            let (first, rest) = subtag.split_at(1);
            first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
        }
        _ => subtag.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_of_containers_become_the_ones_that_players_know() {
        let cases = [
            ("eng", Some("en")),
            ("ger", Some("de")),
            ("deu", Some("de")),
            ("fre", Some("fr")),
            ("fra", Some("fr")),
            ("chi", Some("zh")),
            ("zho", Some("zh")),
            ("cze", Some("cs")),
            ("ENG", Some("en")),
            ("en", Some("en")),
            ("iw", Some("he")),
            ("scr", Some("hr")),
            ("yue", Some("yue")),
            ("fil", Some("fil")),
            ("mul", Some("mul")),
            ("eng,fra", Some("en")),
            ("und", None),
            ("mis", None),
            ("zxx", None),
            ("", None),
            ("e", None),
            ("English", None),
            ("e\u{301}n", None),
            ("123", None),
        ];
        for (tag, told) in cases {
            assert_eq!(normalized(tag).as_deref(), told, "{tag}");
        }
    }

    #[test]
    fn scripts_regions_and_variants_stay() {
        let cases = [
            ("por-BR", "pt-BR"),
            ("pt-br", "pt-BR"),
            ("zho-hant-tw", "zh-Hant-TW"),
            ("ZH-HANS", "zh-Hans"),
            ("es-419", "es-419"),
            ("sl-rozaj-biske", "sl-rozaj-biske"),
            ("en_US.UTF-8", "en-US"),
            ("de-1901", "de-1901"),
            ("en-x-pirate", "en-x-pirate"),
            ("en-x", "en"),
            ("en--", "en"),
            ("en-\"quoted\"", "en"),
        ];
        for (tag, told) in cases {
            assert_eq!(normalized(tag).as_deref(), Some(told), "{tag}");
        }
    }

    #[test]
    fn every_short_code_is_one_and_stays_as_it_is() {
        let pairs: Vec<_> =
            SHORT_CODES.split_ascii_whitespace().map(|pair| pair.split_once(':').unwrap()).collect();
        assert!(pairs.is_sorted() && pairs.len() > 200);
        for (code, short) in pairs {
            assert!(code != short && short.len() == 2);
            assert_eq!(normalized(short).as_deref(), Some(short), "{code}");
        }
    }

    proptest! {
        #[test]
        fn a_normal_tag_is_well_formed_and_stays_as_it_is(tag in "[a-zA-Z0-9_, \\-\u{e4}\"]{0,45}") {
            if let Some(once) = normalized(&tag) {
                prop_assert!(once.len() <= LONGEST);
                prop_assert!(once.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric())));
                prop_assert_eq!(normalized(&once), Some(once));
            }
        }
    }
}
