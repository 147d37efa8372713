package selftest

import "testing"

// What was right stays; what was not is made again, with the device that it is
// compared with.
func TestOnlyWrongDevicesAreMadeAgain(t *testing.T) {
	x := experiment{devices: []device{{name: "plain"}, {name: "slow"}, {name: "odd"}}}
	row := func(device string, pass bool, try int) Row {
		return Row{Device: device, Pass: pass, Try: try, bends: true}
	}
	first := replaced(nil, []Row{row("plain", true, 1), row("slow", true, 1), row("slow", false, 1), row("odd", true, 1)})
	if len(first) != 4 {
		t.Fatalf("%d rows, want 4", len(first))
	}
	next := x.again(first)
	if len(next.devices) != 2 || next.devices[0].name != "plain" || next.devices[1].name != "slow" {
		t.Errorf("made again: %v", next.devices)
	}
	if len(x.devices) != 3 {
		t.Errorf("the experiment itself has %d devices left", len(x.devices))
	}
	second := replaced(first, []Row{row("plain", false, 2), row("slow", true, 2), row("slow", true, 2)})
	if len(second) != 4 || !Passed(second) {
		t.Errorf("after the second try: %+v", second)
	}
	for _, r := range second {
		if want := map[string]int{"plain": 1, "slow": 2, "odd": 1}[r.Device]; r.Try != want {
			t.Errorf("%s: a row of try %d, want %d", r.Device, r.Try, want)
		}
	}
	if whole := x.again([]Row{row("plain", true, 1), row("", false, 1)}); len(whole.devices) != 3 {
		t.Errorf("a failure of the run itself: %d devices, want all", len(whole.devices))
	}
}
