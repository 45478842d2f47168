//! The programs are run here by a small interpreter, since a test cannot make such calls by itself.

use super::*;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | EPERM;
const UNKNOWN: u32 = libc::SECCOMP_RET_ERRNO | ENOSYS;
const X86_64: u32 = 0xC000_003E;
const I386: u32 = 0x4000_0003;

/// `struct seccomp_data` as words.
fn data(number: u32, arch: u32, arguments: &[u64]) -> Vec<u32> {
    let mut words = vec![number, arch, 0, 0];
    for position in 0..6 {
        let value = arguments.get(position).copied().unwrap_or(0);
        words.extend([u32::try_from(value & 0xFFFF_FFFF).unwrap(), u32::try_from(value >> 32).unwrap()]);
    }
    words
}

/// What one program says; only the instructions that seccompiler writes are known.
fn run(program: &[sock_filter], data: &[u32]) -> u32 {
    let (mut at, mut accumulator) = (0, 0_u32);
    loop {
        let sock_filter { code, jt, jf, k } = program[at];
        let jump = |yes: bool| 1 + usize::from(if yes { jt } else { jf });
        at += match code {
            0x06 => return k,
            0x20 => {
                accumulator = data[usize::try_from(k).unwrap() / 4];
                1
            }
            0x54 => {
                accumulator &= k;
                1
            }
            0x05 => 1 + usize::try_from(k).unwrap(),
            0x15 => jump(accumulator == k),
            0x25 => jump(accumulator > k),
            0x35 => jump(accumulator >= k),
            other => panic!("instruction {other:#x}"),
        };
    }
}

/// The stricter of the two, as the kernel takes it.
fn answer(number: impl TryInto<u32>, arch: u32, arguments: &[u64]) -> u32 {
    let number = number.try_into().unwrap_or_else(|_| panic!("a number"));
    let (unknown, refused) = programs(false).unwrap();
    let data = data(number, arch, arguments);
    let answers = [run(&unknown, &data), run(&refused, &data)];
    *answers.iter().find(|answer| **answer != ALLOW).unwrap_or(&ALLOW)
}

#[test]
fn other_ways_to_call_the_kernel_are_closed() {
    let socket = u32::try_from(libc::SYS_socket).unwrap();
    assert_eq!(answer(socket, X86_64, &[]), REFUSE);
    assert_eq!(answer(socket | 0x4000_0000, X86_64, &[]), UNKNOWN, "x32");
    assert_eq!(
        answer(520_u32, X86_64, &[]),
        UNKNOWN,
        "execve of x32, which old kernels take without its bit"
    );
    assert_eq!(answer(102_u32, I386, &[]), libc::SECCOMP_RET_KILL_PROCESS, "socketcall of 32 bits");
}

#[test]
fn calls_of_future_kernels_do_not_exist() {
    assert_eq!(answer(NEWEST_KNOWN, X86_64, &[]), ALLOW);
    assert_eq!(answer(NEWEST_KNOWN + 1, X86_64, &[]), UNKNOWN);
    assert_eq!(answer(u32::MAX, X86_64, &[]), UNKNOWN);
}

#[test]
fn a_thread_may_be_started_and_a_process_or_a_namespace_may_not() {
    let thread = u64::from((libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND).unsigned_abs());
    let network = u64::from(libc::CLONE_NEWNET.unsigned_abs());
    assert_eq!(answer(libc::SYS_clone, X86_64, &[thread]), ALLOW);
    assert_eq!(answer(libc::SYS_clone, X86_64, &[thread | network]), REFUSE);
    assert_eq!(answer(libc::SYS_clone, X86_64, &[17]), REFUSE);
    assert_eq!(answer(SYS_clone3, X86_64, &[]), UNKNOWN);
}

#[test]
fn only_the_process_itself_can_be_signalled() {
    let own = u64::from(std::process::id());
    for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
        assert_eq!(answer(call, X86_64, &[own, own, 6]), ALLOW);
        assert_eq!(answer(call, X86_64, &[1, 1, 6]), REFUSE);
        assert_eq!(answer(call, X86_64, &[u64::MAX, own, 6]), REFUSE, "everyone");
    }
}

#[test]
fn limits_are_read_and_never_set() {
    assert_eq!(answer(libc::SYS_prlimit64, X86_64, &[0, 7, 0, 0x7fff_0000]), ALLOW);
    assert_eq!(answer(libc::SYS_prlimit64, X86_64, &[0, 7, 0x7fff_0000, 0]), REFUSE);
    assert_eq!(answer(libc::SYS_prlimit64, X86_64, &[1, 7, 0, 0x7fff_0000]), REFUSE);
}

#[test]
fn a_file_is_created_without_the_rights_of_its_owner() {
    let create = u64::from((libc::O_CREAT | libc::O_WRONLY).unsigned_abs());
    assert_eq!(answer(libc::SYS_openat, X86_64, &[0, 0, create, 0o644]), ALLOW);
    assert_eq!(answer(libc::SYS_openat, X86_64, &[0, 0, create, 0o4755]), REFUSE);
    assert_eq!(answer(libc::SYS_openat, X86_64, &[0, 0, create, 0o2755]), REFUSE);
    assert_eq!(answer(libc::SYS_openat, X86_64, &[0, 0, 0, 0o4755]), ALLOW, "no file is created");
}
