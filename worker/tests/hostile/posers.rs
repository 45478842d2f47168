//! Playlists and manifests that pose as a video and name the file beside them.

use crate::trial::{judge, try_source};
use crate::yard::Yard;

/// `BESIDE` stands for the path of the secret.
const POSERS: [(&str, &str); 15] = [
    ("hls", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nbeside.mp4\n#EXT-X-ENDLIST\n"),
    ("hls, absolute", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nBESIDE\n#EXT-X-ENDLIST\n"),
    ("hls, file url", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://BESIDE\n#EXT-X-ENDLIST\n"),
    ("hls, network", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:1/x.ts\n"),
    ("hls, init segment", "#EXTM3U\n#EXT-X-MAP:URI=\"BESIDE\"\n#EXTINF:10,\nbeside.mp4\n#EXT-X-ENDLIST\n"),
    ("hls, master", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nBESIDE\n"),
    ("ffconcat", "ffconcat version 1.0\nfile 'BESIDE'\n"),
    ("ffconcat, relative", "ffconcat version 1.0\nfile beside.mp4\n"),
    ("concat", "file 'BESIDE'\n"),
    ("dash", DASH),
    ("sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"),
    ("smil", "<smil><body><video src=\"BESIDE\"/></body></smil>"),
    ("asx", "<asx version=\"3.0\"><entry><ref href=\"BESIDE\"/></entry></asx>"),
    ("metadata", ";FFMETADATA1\ntitle=BESIDE\n"),
    ("imf", IMF),
];
const DASH: &str = "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"><Period><AdaptationSet>\
                    <Representation><BaseURL>file://BESIDE</BaseURL></Representation></AdaptationSet></Period></MPD>";
const IMF: &str = "<?xml version=\"1.0\"?><CompositionPlaylist xmlns=\"http://www.smpte-ra.org/schemas/2067-3/2016\">\
                   <Asset>BESIDE</Asset></CompositionPlaylist>";

#[test]
fn what_only_names_other_files_is_refused() {
    let tried = POSERS.map(|(name, text)| {
        let yard = Yard::new();
        let beside = yard.beside();
        std::fs::write(yard.source(), text.replace("BESIDE", beside.to_str().unwrap())).unwrap();
        try_source(name, &yard).must_be_refused()
    });
    judge(tried.into());
}
