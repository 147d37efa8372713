package afpacket

import (
	"fmt"

	"github.com/vishvananda/netlink"
)

// plain are queueing disciplines that the kernel gives interfaces by itself: frames may pass them
// by. Any other was set up by somebody, to shape or to sort.
var plain = map[string]bool{"noqueue": true, "mq": true, "pfifo_fast": true, "fq_codel": true, "fq": true, "clsact": true, "ingress": true}

// mayBypass says why frames may not be sent past the interface's queueing discipline; nil: they may.
func mayBypass(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	disciplines, err := netlink.QdiscList(link)
	if err != nil {
		return err
	}
	for _, d := range disciplines {
		if !plain[d.Type()] {
			return fmt.Errorf("they have to pass its queueing discipline %s", d.Type())
		}
	}
	return nil
}
