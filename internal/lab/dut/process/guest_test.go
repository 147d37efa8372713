package process

import (
	"strings"
	"testing"
)

// The arguments are those of the kernel's Documentation/virt/uml.
func TestGuestArgs(t *testing.T) {
	for _, c := range []struct {
		guest Guest
		want  string
	}{
		{
			Guest{Kernel: "/opt/linux", Init: "/r/init", Ports: []string{"n3-abcde", "n6-abcde"}, Extra: []string{"quiet"}},
			"/opt/linux mem=512M root=/dev/root rootfstype=hostfs rootflags=/ rw init=/r/init uml_dir=/dev/shm umid=guest " +
				"con=null con0=null,fd:1 panic=-1 vec0:transport=raw,ifname=n3-abcde,depth=128,mtu=1500 " +
				"vec1:transport=raw,ifname=n6-abcde,depth=128,mtu=1500 quiet",
		},
		{
			Guest{Kernel: "/opt/linux", Init: "/r/init", MemoryMiB: 1024, Ports: []string{"n3-abcde"}, MTU: 1600, Depth: 64},
			"/opt/linux mem=1024M root=/dev/root rootfstype=hostfs rootflags=/ rw init=/r/init uml_dir=/dev/shm umid=guest " +
				"con=null con0=null,fd:1 panic=-1 vec0:transport=raw,ifname=n3-abcde,depth=64,mtu=1600",
		},
	} {
		if got := strings.Join(c.guest.Args(), " "); got != c.want {
			t.Errorf("they are\n%s\nwant\n%s", got, c.want)
		}
	}
}
