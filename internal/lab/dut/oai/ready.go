package oai

import (
	"context"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/text/wait"
)

const (
	// startTime is how long the UPF may take until its data path is there. It takes a quarter of a second here.
	startTime = 15 * time.Second
	// settling is how long the UPF gets after that: it still makes the objects that sessions are kept in.
	settling = 250 * time.Millisecond
)

// awaitDataPath waits until the UPF's data path is there. The UPF takes requests on N4 before, and a session
// of that time ends it (SIGSEGV). When it ends by itself, or makes none in time, whoever speaks N4 with it finds
// out, and shows its log.
func awaitDataPath(ctx context.Context, t site.Site, p dut.Program, mode string) error {
	there := tunIsUp
	if mode == xdp {
		there = programsAreAttached
	}
	if err := dut.Await(ctx, p, startTime, func() bool { return there(t) }); err != nil || !there(t) {
		return err
	}
	return wait.Pause(ctx, settling)
}

// tunIsUp reports whether the UPF holds tun0, which has a carrier then.
func tunIsUp(t site.Site) bool {
	link, err := t.UPF().Netlink().LinkByName("tun0")
	return err == nil && link.Attrs().RawFlags&unix.IFF_LOWER_UP != 0
}

func programsAreAttached(t site.Site) bool {
	for _, name := range []string{t.Links().UPFN3.Name, t.Links().UPFN6.Name} {
		link, err := t.UPF().Netlink().LinkByName(name)
		if err != nil || link.Attrs().Xdp == nil || !link.Attrs().Xdp.Attached {
			return false
		}
	}
	return true
}
