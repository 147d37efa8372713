#!/bin/sh
# Written by upflab: the first process of the guest, whose files are the host's.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH LANG=C HOME=/root

end() { # ends the guest; if process 1 just ended, its kernel would panic
	echo "upflab: $*"
	echo o >/proc/sysrq-trigger
	while :; do sleep 1; done
}

mount -t proc proc /proc && mount -t sysfs sysfs /sys || end "the guest cannot mount /proc and /sys"
insmod '/opt/gtp5g.ko' || end "the guest's kernel does not take /opt/gtp5g.ko: was it built for this kernel, with CONFIG_NET_UDP_TUNNEL=y?"

set_up() {
	echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
	echo 0 >/proc/sys/net/ipv4/conf/default/rp_filter
	echo 0 >/proc/sys/net/ipv4/conf/all/send_redirects
	echo 1 >/proc/sys/net/ipv4/ip_forward
	ip -batch - <<-EOF
		link set lo up
		link set vec0 address 02:75:70:66:03:02 mtu 1600 up
		addr add 192.168.13.151/24 dev vec0
		neigh replace 192.168.13.131 lladdr 02:75:70:66:13:02 dev vec0 nud permanent
		link set vec1 address 02:75:70:66:06:02 mtu 1600 up
		addr add 192.168.16.151/24 dev vec1
		neigh replace 192.168.16.152 lladdr 02:75:70:66:16:02 dev vec1 nud permanent
		link set vec2 address 02:75:70:66:04:02 mtu 1500 up
		addr add 192.168.14.151/24 dev vec2
		neigh replace 192.168.14.111 lladdr 02:75:70:66:14:02 dev vec2 nud permanent
		route add default via 192.168.16.152
		route add blackhole 10.45.0.0/16 metric 1073741824
	EOF
}
set_up || end "the guest cannot set its network up"

# upflab asks for the counters by the console, which sends process 1 a SIGINT.
counters() {
	cat /proc/net/dev /proc/net/softnet_stat /proc/net/snmp >'/r/o'\''clock/guest.counters'.new && mv '/r/o'\''clock/guest.counters'.new '/r/o'\''clock/guest.counters'
}
trap counters INT
echo 0 >/proc/sys/kernel/ctrl-alt-del

'/opt/upf' -c '/r/upfcfg.yaml' &
upf=$!
# Counters are written when gtp5g's device is there; upflab waits for them.
(until [ -d /sys/class/net/upfgtp ]; do sleep 0.02; done; counters) &
while wait $upf; status=$?; kill -0 $upf 2>/dev/null; do :; done
end "go-upf has ended, status $status"
