package afpacket

import "github.com/vishvananda/netlink"

// plain are queueing disciplines that the kernel gives interfaces by itself: frames may pass them
// by. Any other was set up by somebody, to shape or to sort.
var plain = map[string]bool{"noqueue": true, "mq": true, "pfifo_fast": true, "fq_codel": true, "fq": true, "clsact": true, "ingress": true}

// bypass reports whether the interface has the queue, and nothing that frames have to pass before it.
func bypass(name string, queue int) bool {
	link, err := netlink.LinkByName(name)
	if err != nil || queue >= max(1, link.Attrs().NumTxQueues) {
		return false
	}
	disciplines, err := netlink.QdiscList(link)
	if err != nil {
		return false
	}
	for _, d := range disciplines {
		if !plain[d.Type()] {
			return false
		}
	}
	return true
}
