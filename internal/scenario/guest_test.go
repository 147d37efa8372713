package scenario

import "testing"

// A scenario without a VM has the one whose every value is the key's default.
func TestGuestByDefault(t *testing.T) {
	want := VM{Kernel: HostKernel, NIC: NICVeth, CPUs: 2, Memory: 3072}
	if got := (&Scenario{}).GuestOf(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s, err := Open("quick", []string{"vm.cpus=4"}, false)
	if want.CPUs = 4; err != nil || s.GuestOf() != want {
		t.Errorf("%+v, %v", s.GuestOf(), err)
	}
}
