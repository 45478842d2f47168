//! Results as Markdown.

pub(crate) fn machine() {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "{cores} × {}; load before: {}\n",
        model.map_or("unknown", |(_, name)| name),
        load.split(' ').take(3).collect::<Vec<_>>().join(" ")
    );
}

pub(crate) fn print(title: &str, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    println!("{title}:\n");
    println!("| {} |", head.join(" | "));
    println!("|{}", "---|".repeat(head.len()));
    for row in rows {
        println!("| {} |", row.join(" | "));
    }
    println!();
}
