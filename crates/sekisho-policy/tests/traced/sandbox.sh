# Runs the NUL-separated scripts of `$1/out/scripts` with bash under strace; the trace is `$1/out/trace`.
# Everything is read-only except the copies of workspace and home. With `$2` = read-only those are read-only
# too.
set -eu
base=$1
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs -o size=64m tmpfs "$base/live"
cp -a "$base/ws" "$base/home" "$base/live/"
drop=()
if [ "$(cat /proc/self/uid_map | tr -s ' ')" = ' 0 0 4294967295' ]; then
    # Running as root: the scripts run as nobody, who must own the workspace, or git would refuse it.
    chown -R 65534:65534 "$base/live"
    drop=(setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs)
fi
mount --bind "$base/live/ws" "$base/ws"
mount --bind "$base/live/home" "$base/home"
mount --bind "$base/out" "$base/out"
while read -r _ target _; do
    printf -v target %b "$target"
    case $target in
    "$base/out") continue ;;
    "$base/ws" | "$base/home") [ "$2" = read-only ] || continue ;;
    esac
    mount -o remount,bind,ro "$target" 2>/dev/null || true
done < <(cat /proc/self/mounts)
for place in / /tmp /var/tmp "$base/live"; do
    if [ -d "$place" ] && (: > "$place/.sekisho-traced-probe") 2>/dev/null; then
        rm -f "$place/.sekisho-traced-probe"
        echo "the sandbox could not make $place read-only" >&2
        exit 70
    fi
done
cd "$base/ws"
calls=execve,execveat,openat,openat2,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,symlink
calls+=,symlinkat,link,linkat,mknod,mknodat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate
calls+=,utimensat,utime,utimes,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,connect,bind,sendto,sendmsg,kill
calls+=,ptrace,mount,umount2,settimeofday,clock_settime,sethostname,clone,clone3,fork,vfork
# The driver: runs two scripts at a time, identified by `$0`.
driver='ulimit -c 0 -f 4096 -t 3 -v 4000000 -u 600
n=0 running=0 groups=()
while IFS= read -r -d "" script <&3; do
    timeout -s KILL 4 bash --norc --noprofile -c -- "$script" "sekisho-case-$n" 3<&- </dev/null &
    groups+=("-$!")
    n=$((n + 1)) running=$((running + 1))
    if [ "$running" -ge 2 ]; then wait -n || :; running=$((running - 1)); fi
done 3< "$1/scripts"
wait
# Background processes left by scripts would keep strace waiting.
kill -KILL -- "${groups[@]}" 2>/dev/null
exit 0'
env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$base/home" PWD="$base/ws" USER=nobody \
    LC_CTYPE=C.UTF-8 TERM=dumb \
    strace -f -qq --seccomp-bpf -y -s 160 -e signal=none -e "trace=$calls" -o "$base/out/trace" \
    "${drop[@]}" bash --norc --noprofile -c "$driver" driver "$base/out" 2>&1 | cat > /dev/null
