//! GPUs of Intel and AMD: render nodes, as the kernel tells of them.

use std::fs;
use std::path::{Path, PathBuf};

use framefarm_shared::gpu::{GpuKind, GpuSample};
use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::snapshot::{Found, Place, short};

const INTEL: &str = "0x8086";
const AMD: &str = "0x1002";
const NVIDIA: &str = "0x10de";
/// Where distributions keep the names of GPUs.
const NAMES: [&str; 2] = ["usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids"];

/// What is below a root directory, which is `/` but for tests.
pub(super) struct Nodes {
    pub(super) found: Vec<Found>,
    pub(super) missing: Vec<String>,
    /// One of NVIDIA is among them, whatever drives it.
    pub(super) nvidia: bool,
}

pub(super) fn nodes(root: &Path, first_ordinal: u32) -> Nodes {
    let mut nodes = Nodes { found: Vec::new(), missing: Vec::new(), nvidia: false };
    for id in ids(root) {
        let device = device_of(root, &id);
        let vendor = word(&device.join("vendor")).unwrap_or_default();
        let (maker, kinds) = match vendor.as_str() {
            INTEL => ("Intel", vec![GpuKind::Qsv, GpuKind::Vaapi]),
            AMD => ("AMD", vec![GpuKind::Vaapi]),
            NVIDIA => {
                nodes.nvidia = true;
                continue;
            }
            _ => continue,
        };
        let node = root.join("dev/dri").join(&id);
        match access(&node, Access::READ_OK | Access::WRITE_OK) {
            Ok(()) => nodes.found.push(Found {
                name: name(root, &device, &vendor, maker),
                kinds,
                memory_bytes: number(&device.join("mem_info_vram_total")).filter(|bytes| *bytes > 0),
                place: Place { ordinal: 0, pci: pci(&device), node: Some(node) },
                mig: None,
                id,
            }),
            Err(Errno::NOENT) => nodes.missing.push(format!(
                "{maker} GPU found, but /dev/dri/{id} is missing; in a container, pass `--device /dev/dri`"
            )),
            Err(error) => nodes.missing.push(format!(
                "cannot use {maker} GPU (/dev/dri/{id}: {error}); add this user to the group of that file"
            )),
        }
    }
    for (gpu, ordinal) in nodes.found.iter_mut().zip(first_ordinal..) {
        gpu.place.ordinal = ordinal;
    }
    nodes
}

/// What AMD's driver tells; Intel's tells none of it.
pub(super) fn sample(root: &Path, id: &str) -> Option<GpuSample> {
    let device = device_of(root, id);
    let sensors =
        fs::read_dir(device.join("hwmon")).ok().and_then(|mut list| Some(list.next()?.ok()?.path()));
    let sensor =
        |name: &str, unit: u64| sensors.as_ref().and_then(|place| Some(number(&place.join(name))? / unit));
    let narrow = |value: Option<u64>, most: u8| {
        value.and_then(|some| u8::try_from(some).ok()).filter(|some| *some <= most)
    };
    let watts = |name| sensor(name, 1_000_000).and_then(|watts| u32::try_from(watts).ok());
    let sample = GpuSample {
        compute_percent: narrow(number(&device.join("gpu_busy_percent")), 100),
        memory_used_bytes: number(&device.join("mem_info_vram_used")),
        temperature_celsius: narrow(sensor("temp1_input", 1000), 150),
        power_watts: watts("power1_average"),
        power_limit_watts: watts("power1_cap"),
        ..GpuSample::default()
    };
    (sample != GpuSample::default()).then_some(sample)
}

/// `renderD128` and so on, in order.
fn ids(root: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root.join("sys/class/drm")) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut ids: Vec<String> = names.filter(|name| name.starts_with("renderD")).collect();
    ids.sort();
    ids
}

fn device_of(root: &Path, id: &str) -> PathBuf {
    root.join("sys/class/drm").join(id).join("device")
}

fn pci(device: &Path) -> Option<String> {
    let place = fs::canonicalize(device).ok()?;
    place.file_name()?.to_str().map(str::to_owned)
}

fn name(root: &Path, device: &Path, vendor: &str, maker: &str) -> String {
    let model = word(&device.join("device")).unwrap_or_default();
    let product = word(&device.join("product_name")).filter(|name| !name.is_empty());
    let listed =
        || NAMES.iter().find_map(|list| listed(&fs::read_to_string(root.join(list)).ok()?, vendor, &model));
    let name =
        product.or_else(listed).map_or_else(|| format!("{maker} {model}"), |name| format!("{maker} {name}"));
    short(&name)
}

/// The name that the list has for a model: vendors begin at the margin, their models behind a tab.
fn listed(list: &str, vendor: &str, model: &str) -> Option<String> {
    let (vendor, model) = (vendor.strip_prefix("0x")?, model.strip_prefix("0x")?);
    let models = list.lines().skip_while(|line| !line.starts_with(vendor)).skip(1);
    let mut models = models.take_while(|line| line.starts_with(['\t', '#']));
    models.find_map(|line| Some(line.strip_prefix('\t')?.strip_prefix(model)?.trim().to_owned()))
}

fn word(file: &Path) -> Option<String> {
    Some(fs::read_to_string(file).ok()?.trim().to_owned())
}

fn number(file: &Path) -> Option<u64> {
    word(file)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn intel_and_amd_are_found_by_their_render_nodes_and_nvidia_is_left_to_its_driver() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for (node, vendor, model) in
            [("renderD128", INTEL, "0x46a6"), ("renderD129", AMD, "0x73bf"), ("renderD130", NVIDIA, "0x2503")]
        {
            write(root, &format!("sys/class/drm/{node}/device/vendor"), &format!("{vendor}\n"));
            write(root, &format!("sys/class/drm/{node}/device/device"), &format!("{model}\n"));
        }
        write(root, "dev/dri/renderD128", "");
        write(root, "sys/class/drm/card0/device/vendor", INTEL);
        write(
            root,
            NAMES[0],
            "8085  Other\n\t46a6  Wrong\n8086  Intel\n# c\n\t46a6  Alder Lake\n\t\t1 2  Sub\n9000 X\n",
        );

        let nodes = nodes(root, 2);
        assert!(nodes.nvidia);
        let [gpu] = nodes.found.as_slice() else { panic!("{:?}", nodes.found) };
        assert_eq!((gpu.id.as_str(), gpu.name.as_str()), ("renderD128", "Intel Alder Lake"));
        assert_eq!(gpu.kinds, [GpuKind::Qsv, GpuKind::Vaapi]);
        assert_eq!((gpu.place.ordinal, gpu.memory_bytes), (2, None));
        assert!(sample(root, "renderD128").is_none());
        assert!(
            nodes.missing[0].contains("AMD") && nodes.missing[0].contains("--device /dev/dri"),
            "{:?}",
            nodes.missing
        );
    }

    #[test]
    fn amd_tells_of_itself() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let device = "sys/class/drm/renderD128/device";
        for (file, text) in [
            ("vendor", AMD),
            ("device", "0x73bf"),
            ("product_name", "Radeon"),
            ("mem_info_vram_total", "17163091968"),
            ("mem_info_vram_used", "1000"),
            ("gpu_busy_percent", "37"),
            ("hwmon/hwmon3/temp1_input", "51000"),
            ("hwmon/hwmon3/power1_average", "93000000"),
        ] {
            write(root, &format!("{device}/{file}"), text);
        }
        write(root, "dev/dri/renderD128", "");
        let found = nodes(root, 0).found;
        assert_eq!((found[0].name.as_str(), found[0].memory_bytes), ("AMD Radeon", Some(17_163_091_968)));
        let sample = sample(root, "renderD128").unwrap();
        assert_eq!((sample.compute_percent, sample.temperature_celsius), (Some(37), Some(51)));
        assert_eq!((sample.power_watts, sample.power_limit_watts), (Some(93), None));
        assert_eq!(sample.encoder_percent, None);
    }

    #[test]
    fn a_machine_without_graphics_has_none() {
        let root = tempfile::tempdir().unwrap();
        let nodes = nodes(root.path(), 0);
        assert!(nodes.found.is_empty() && nodes.missing.is_empty() && !nodes.nvidia);
    }
}
