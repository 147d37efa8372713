package run

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestGuest(t *testing.T) {
	for want, m := range map[string]*record.VM{
		"": nil,
		"Linux 6.1.0 in QEMU 10.0.13, by KVM; NIC virtio-net (driver virtio_net), 2 CPUs, 3.0 GiB": {Kernel: "6.1.0", NIC: "virtio-net",
			Driver: "virtio_net", Accel: "kvm", QEMU: "10.0.13", CPUs: 2, MemoryMiB: 3072},
		"Linux 6.8.0 in QEMU 7.2.22, by emulation of each instruction (TCG), so that no speed means anything; NIC veth, 1 CPU, 512.0 MiB": {
			Kernel: "6.8.0", NIC: "veth", Accel: "tcg", QEMU: "7.2.22", CPUs: 1, MemoryMiB: 512},
	} {
		if got := guest(m); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
