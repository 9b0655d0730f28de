//! Makes the table of the page's files that `src/page.rs` embeds. Start at [`main`].
//!
//! Where the page was not built the table is empty, and the binary says so instead of showing a page.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../page");
    let built = page.join("dist");
    // A folder that is not there cannot be watched: cargo would build this crate anew each time.
    let watched = if built.is_dir() { built.clone() } else { page.join("package.json") };
    println!("cargo:rerun-if-changed=build.rs");
    if watched.exists() {
        println!("cargo:rerun-if-changed={}", watched.display());
    }
    let mut files = Vec::new();
    gather(&built, &mut files);
    files.sort();
    let mut table = String::from("static FILES: &[File] = &[\n");
    for path in files.iter().filter(|path| path.extension().is_none_or(|end| end != "gz")) {
        let name = path.strip_prefix(&built).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let gzip = PathBuf::from(format!("{}.gz", path.display()));
        let gzip = match files.contains(&gzip) {
            true => format!("Some(include_bytes!({gzip:?}))"),
            false => "None".to_owned(),
        };
        writeln!(table, "    File {{ path: {name:?}, bytes: include_bytes!({path:?}), gzip: {gzip} }},")
            .expect("a string takes everything");
    }
    table.push_str("];\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo names a folder for what is made");
    fs::write(Path::new(&out).join("files.rs"), table).expect("that folder can be written");
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        match path.is_dir() {
            _ if hidden => {}
            true => gather(&path, files),
            false => files.push(path),
        }
    }
}
