//! Puts the page into the binary: the built one, or a notice where nobody has built it.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=web/dist");
    let built = Path::new("web/dist/index.html").exists();
    memory_serve::load_directory(if built { "web/dist" } else { "web/unbuilt" });
}
