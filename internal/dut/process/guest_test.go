package process

import (
	"strings"
	"testing"
)

// The arguments are those of the kernel's Documentation/virt/uml.
func TestGuestArgs(t *testing.T) {
	g := Guest{Kernel: "/opt/linux", Init: "/r/init", Dir: "/r/free5gc", Ports: []string{"n3-abcde", "n6-abcde"}, Extra: []string{"quiet"}}
	want := "/opt/linux mem=512M root=/dev/root rootfstype=hostfs rootflags=/ rw init=/r/init uml_dir=/r/free5gc umid=free5gc-guest " +
		"con=null con0=null,fd:1 panic=-1 vec0:transport=raw,ifname=n3-abcde,depth=128 vec1:transport=raw,ifname=n6-abcde,depth=128 quiet"
	if got := strings.Join(g.Args(), " "); got != want {
		t.Errorf("they are\n%s\nwant\n%s", got, want)
	}
}
