/**
 * The kernel's calls that a confined container may make. It is stricter than an engine's own filter in one thing: no socket
 * leaves the network namespace. That stops the internet, but not sockets in the file system; with one in a shared directory
 * a program could have another container write for it. A call that isn't named fails.
 */

const FILES = `
  access chdir chmod chown chown32 close close_range copy_file_range creat dup dup2 dup3 execve execveat faccessat faccessat2
  fadvise64 fadvise64_64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr
  flistxattr flock fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futimesat
  getcwd getdents getdents64 getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown lchown32
  lgetxattr link linkat listxattr llistxattr _llseek lremovexattr lseek lsetxattr lstat lstat64 mkdir mkdirat mknod mknodat
  name_to_handle_at newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead
  readlink readlinkat readv removexattr rename renameat renameat2 rmdir sendfile sendfile64 setxattr splice stat stat64 statfs
  statfs64 statx symlink symlinkat sync sync_file_range sync_file_range2 syncfs tee truncate truncate64 umask unlink unlinkat
  utime utimensat utimensat_time64 utimes vmsplice write writev
  arm_fadvise64_64 arm_sync_file_range`;

const WAITING = `
  epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2
  io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit _newselect poll ppoll ppoll_time64
  pselect6 pselect6_time64 select signalfd signalfd4`;

const MEMORY = `
  brk cachestat madvise membarrier memfd_create mincore mlock mlock2 mlockall mmap mmap2 mprotect mremap mseal msync munlock
  munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages
  mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink
  ipc msgctl msgget msgrcv msgsnd semctl semget semop semtimedop semtimedop_time64 shmat shmctl shmdt shmget`;

const PROCESSES = `
  arch_prctl breakpoint cacheflush capget capset exit exit_group fork futex futex_requeue futex_time64 futex_wait futex_waitv
  futex_wake get_robust_list get_thread_area getcpu getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32
  getpgid getpgrp getpid getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit getrusage getsid
  gettid getuid getuid32 ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self modify_ldt
  pause pidfd_open pidfd_send_signal prctl prlimit64 process_mrelease restart_syscall rseq rt_sigaction rt_sigpending
  rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo
  riscv_flush_icache riscv_hwprobe sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
  sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam
  sched_setscheduler sched_yield seccomp set_robust_list set_thread_area set_tid_address set_tls setfsgid setfsgid32 setfsuid
  setfsuid32 setgid setgid32 setgroups setgroups32 setpgid setpriority setregid setregid32 setresgid setresgid32 setresuid
  setresuid32 setreuid setreuid32 setrlimit setsid setuid setuid32 sigaltstack sigprocmask sigreturn swapcontext sysinfo tgkill
  tkill ugetrlimit uname vfork wait4 waitid waitpid`;

const TIME = `
  alarm clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep clock_nanosleep_time64 getitimer
  gettimeofday nanosleep setitimer time timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64 timer_settime
  timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 times`;

const SOCKETS = `
  accept accept4 bind connect getpeername getsockname getsockopt listen recv recvfrom recvmmsg recvmmsg_time64 recvmsg send
  sendmmsg sendmsg sendto setsockopt shutdown socketpair`;

/** Families that the network namespace confines: internet, internet 6, netlink. */
const CONFINED_FAMILIES = [2, 10, 16] as const;
/** Flags of `clone` that make namespaces; with a user namespace come rights over it. */
const NAMESPACE_FLAGS = 0x7e020000;
const ENOSYS = 38;

/** The filter as an engine takes it in a `seccomp=` option. */
export function confinedFilter(): string {
  const names = [FILES, WAITING, MEMORY, PROCESSES, TIME, SOCKETS].flatMap((text) =>
    text.trim().split(/\s+/),
  );
  return JSON.stringify({
    defaultAction: "SCMP_ACT_ERRNO",
    archMap: [
      { architecture: "SCMP_ARCH_X86_64", subArchitectures: ["SCMP_ARCH_X86", "SCMP_ARCH_X32"] },
      { architecture: "SCMP_ARCH_AARCH64", subArchitectures: ["SCMP_ARCH_ARM"] },
      { architecture: "SCMP_ARCH_RISCV64", subArchitectures: [] },
    ],
    syscalls: [
      { names, action: "SCMP_ACT_ALLOW" },
      ...CONFINED_FAMILIES.map((value) => allowedWith("socket", { index: 0, value, op: "SCMP_CMP_EQ" })),
      allowedWith("clone", { index: 0, value: NAMESPACE_FLAGS, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }),
      allowedWith("personality", { index: 0, value: 0, op: "SCMP_CMP_EQ" }),
      allowedWith("personality", { index: 0, value: 0xffffffff, op: "SCMP_CMP_EQ" }),
      // Its flags can't be looked at; the C library then takes the other one.
      { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: ENOSYS },
    ],
  });
}

interface ArgumentTest {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: string;
}

function allowedWith(name: string, test: ArgumentTest): object {
  return { names: [name], action: "SCMP_ACT_ALLOW", args: [test] };
}
