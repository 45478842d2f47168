//! The calls that are refused, and those that are refused with some arguments.

use libc::c_long;
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{Result, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use super::Calls;

/// These two are not in `libc` for every architecture.
const SYS_FCHMODAT2: c_long = 452;
#[cfg(target_arch = "x86_64")]
const SYS_SETRLIMIT: c_long = libc::SYS_setrlimit;
#[cfg(not(target_arch = "x86_64"))]
const SYS_SETRLIMIT: c_long = 164;

const SOCKETS: &[c_long] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    // These do what the calls above do, out of the filter's sight.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// New programs, and leaving the process group by which the supervisor ends a child.
const PROCESSES: &[c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_unshare,
    libc::SYS_setns,
];

const OTHER_PROCESSES: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_tkill,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Landlock guards what is in files and where they are, not these. `truncate` it guards since Linux 6.2.
const FILES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_truncate,
    libc::SYS_mknodat,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
];

const IDENTITY: &[c_long] = &[
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_setgroups,
    libc::SYS_capset,
    SYS_SETRLIMIT,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Much of the kernel that no codec needs, and where its holes have been.
const KERNEL: &[c_long] = &[
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_memfd_secret,
    libc::SYS_personality,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Older forms that other architectures never had.
#[cfg(target_arch = "x86_64")]
const OLDER: &[c_long] = &[
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_mknod,
    libc::SYS_creat,
    libc::SYS_uselib,
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_modify_ldt,
    libc::SYS_kexec_file_load,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[c_long] = &[];

const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// `TIOCSTI` and `TIOCLINUX` type on the terminal that a worker was started from.
const TYPING: [u64; 2] = [0x5412, 0x541C];

const CREATE: u64 = libc::O_CREAT.unsigned_abs() as u64;
const SET_ID_BITS: [u64; 2] = [libc::S_ISUID as u64, libc::S_ISGID as u64];

pub(super) fn calls(own_pid: u32, gpu: bool) -> Result<Calls> {
    let always = [SOCKETS, PROCESSES, OTHER_PROCESSES, FILES, IDENTITY, KERNEL, OLDER].concat();
    let mut calls: Calls = always.into_iter().map(|call| (call, Vec::new())).collect();
    // Files without a name are memory that no limit counts. GPU drivers keep code in them.
    if !gpu {
        calls.insert(libc::SYS_memfd_create, Vec::new());
    }
    calls.insert(libc::SYS_clone, clone_of_a_process()?);
    for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
        calls.insert(call, vec![rule(&[(0, Dword, Ne, own_pid.into())])?]);
    }
    let (of_another, a_new_one) = (rule(&[(0, Dword, Ne, 0)])?, rule(&[(2, Qword, Ne, 0)])?);
    calls.insert(libc::SYS_prlimit64, vec![of_another, a_new_one]);
    let typing: Result<_> = TYPING.iter().map(|request| rule(&[(1, Dword, Eq, *request)])).collect();
    calls.insert(libc::SYS_ioctl, typing?);
    calls.insert(libc::SYS_openat, creating_a_set_id_file(2)?);
    #[cfg(target_arch = "x86_64")]
    calls.insert(libc::SYS_open, creating_a_set_id_file(1)?);
    Ok(calls)
}

/// Threads are what is left. A thread with namespaces of its own would have its own network.
fn clone_of_a_process() -> Result<Vec<SeccompRule>> {
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let mut rules = vec![rule(&[(0, Qword, MaskedEq(thread), 0)])?];
    for namespace in NAMESPACES.map(|bit| u64::from(bit.unsigned_abs())) {
        rules.push(rule(&[(0, Qword, MaskedEq(namespace), namespace)])?);
    }
    Ok(rules)
}

/// A program left in the scratch directory must not run as its owner.
fn creating_a_set_id_file(flags: u8) -> Result<Vec<SeccompRule>> {
    let with =
        |bit| rule(&[(flags, Dword, MaskedEq(CREATE), CREATE), (flags + 1, Dword, MaskedEq(bit), bit)]);
    SET_ID_BITS.into_iter().map(with).collect()
}

/// Matches when every one of `(argument, width, comparison, value)` holds.
fn rule(all: &[(u8, SeccompCmpArgLen, SeccompCmpOp, u64)]) -> Result<SeccompRule> {
    let conditions = all.iter().map(|(argument, width, comparison, value)| {
        SeccompCondition::new(*argument, width.clone(), comparison.clone(), *value)
    });
    let conditions = conditions.collect::<std::result::Result<_, _>>()?;
    Ok(SeccompRule::new(conditions)?)
}
