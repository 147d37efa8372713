#!/usr/bin/env bash
# record.sh: takes the captures of this folder anew, as root. It needs tcpdump, Go, and
# SMF, the program open5gs-smfd, and PFCPSIM, a folder with pfcpsim and pfcpctl.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ns=upflab-record
work=$(mktemp -d)
pids=()
end() {
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
	wait 2>/dev/null || true
	ip netns del $ns
	rm -rf "$work"
}
(cd "$here/record" && go build -o "$work/record" .)
ip netns add $ns
trap end EXIT
in="ip netns exec $ns"
$in ip link set lo up
$in ip link add smf0 type veth peer name smf1
for a in 4 1 3 5 10; do $in ip addr add 192.0.2.$a/24 dev smf0; done
$in ip link set smf0 up
$in ip link set smf1 up

take() { # FILE: captures N4 on lo, where both ends are
	$in tcpdump -U -q -i lo -w "$work/$1" udp port 8805 2>/dev/null &
	pids+=($!)
	sleep 1
}

take open5gs-smf.pcap
$in "$SMF" -c "$here/smf.yaml" >"$work/smf.log" 2>&1 &
smf=$!
pids+=($smf)
$in "$work/record" core || { cat "$work/smf.log"; exit 1; }
kill $smf; wait $smf 2>/dev/null || true
kill "${pids[0]}"; wait "${pids[0]}" 2>/dev/null || true
pids=()

take pfcpsim.pcap
$in "$work/record" upf & pids+=($!)
$in "$PFCPSIM/pfcpsim" -i smf0 >"$work/pfcpsim.log" 2>&1 & pids+=($!)
sleep 2
ctl="$in $PFCPSIM/pfcpctl"
$ctl service configure --n3-addr 192.0.2.3 --remote-peer-addr 192.0.2.5
$ctl service associate
$ctl session create --count 2 --baseID 1 --ue-pool 203.0.113.0/24 --gnb-addr 192.0.2.1 --qfi 9 --app-filter udp:198.51.100.10/32:80-90:allow:100
$ctl session modify --count 2 --baseID 1 --ue-pool 203.0.113.0/24 --gnb-addr 192.0.2.1 --buffer --notifycp --app-filter udp:198.51.100.10/32:80-90:allow:100
sleep 6 # for a heartbeat
$ctl session delete --count 2 --baseID 1
$ctl service disassociate
sleep 1
cp "$work"/*.pcap "$here/"
chmod 644 "$here"/*.pcap
