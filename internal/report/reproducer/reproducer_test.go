package reproducer

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/proto/pcap"
	"github.com/upflab/upflab/internal/record"
)

// Frames by scapy: Ether(dst="02:00:00:00:00:02",src="02:00:00:00:00:01")/IP(src=..., dst=...)/UDP(...)/...
const (
	request = "02000000000202000000000108004500002c0001000040115df60a6404010a6404022265226500187cb72001000c000001000060000400000001"
	uplink  = "0200000000020200000000010800450000580001000040115fca0a6403010a640302086808680044000034ff00340000010100000085011009004500002c000100004011602d0a2d00020a6406012ee00fa00018955411223344556677880000000000000001"
	leaked  = "02000000000102000000000208004500002c000100003f11612d0a2d00020a6406012ee00fa00018955411223344556677880000000000000001"
	// inner is the T-PDU of uplink, and moved the same to 10.100.6.9.
	inner = "4500002c000100004011602d0a2d00020a6406012ee00fa00018955411223344556677880000000000000001"
	moved = "4500002c00010000401160250a2d00020a6406092ee00fa00018954c11223344556677880000000000000001"
)

func captured(t *testing.T, comment string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pcap.NewWriter(&b, pcap.Interface{Name: "N3"}, pcap.Interface{Name: "N6"}, pcap.Interface{Name: "N4"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_700_000_000, 0)
	for n, one := range []struct {
		of      int
		way     pcap.Way
		frame   string
		comment string
	}{{2, pcap.Out, request, ""}, {0, pcap.Out, uplink, comment}, {1, pcap.In, leaked, ""}, {1, pcap.In, strings.ReplaceAll(leaked, "11223344", "aaaaaaaa"), ""}} {
		frame, err := hex.DecodeString(one.frame)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(pcap.Packet{At: at.Add(time.Duration(n) * time.Second), Data: frame, Length: len(frame), Of: one.of, Way: one.way, Comment: one.comment}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

const ofUplink = "an uplink packet: goes nowhere (mark 11223344556677880000000000000001)"

func finding() Finding {
	return Finding{UPF: "eupf v0.7.1", Machine: "Linux 6.12", Tool: "upflab v1", Date: time.Unix(1_700_000_000, 0), Steps: []string{"send \"\"\" a packet"},
		Case: &record.Case{ID: "far.drop", Title: "It says \"\"\"; and \\ more", Clause: "TS 29.244 8.2.26", Verdict: record.VerdictNotEnforced,
			Expected: "an uplink packet goes nowhere", Observed: "it arrived at N6", Capture: "eupf/far.drop.pcapng"}}
}

// TestRecording: whose addresses are whose, and which packets are the case's.
func TestRecording(t *testing.T) {
	r, err := read(captured(t, ofUplink))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.steps) != 3 { // not that of another run
		t.Errorf("%d steps, want 3", len(r.steps))
	}
	if r.UPFN4 != "10.100.4.2" || r.UPFN3 != "10.100.3.2" || strings.Join(r.SMF, " ") != "10.100.4.1" ||
		strings.Join(r.GNBs, " ") != "10.100.3.1" || strings.Join(r.Hosts, " ") != "10.100.6.1" {
		t.Errorf("roles %+v", r.roles)
	}
}

// TestScriptReadsItsCase: Python takes the words of a case for words, also those that end a string.
func TestScriptReadsItsCase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "finding")
	if err := Write(dir, finding(), captured(t, ofUplink)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("python3", "-B", filepath.Join(dir, Script), "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), `It says """; and \ more`) || !strings.Contains(string(out), "N4 10.100.4.2, N3 10.100.3.2") {
		t.Errorf("%v\n%s", err, out)
	}
	judged := `
import sys; sys.argv = ["x"]; sys.path.insert(0, sys.argv[0])
import importlib.util
s = importlib.util.spec_from_file_location("reproduce", r"` + filepath.Join(dir, Script) + `"); m = importlib.util.module_from_spec(s); s.loader.exec_module(m); m.load()
link, frame = m.STEPS[1][1], m.STEPS[1][4]
came = m.arrivals_of(m.STEPS)
print(m.inner_of(link, frame).hex(), [a.words(m.inner_of(link, frame)) for c in came.values() for a in c], m.is_right(m.STEPS[1][3], *came.values(), m.inner_of(link, frame), str))
print(m.wants("a packet: arrives on N3 in tunnel 0x40001 to 192.0.2.1 with QFI 9 and plain on N6"))
after = m.readdressed(bytes.fromhex("` + inner + `"), lambda a: b"\x0a\x64\x06\x09" if a == b"\x0a\x64\x06\x01" else a)
print(after.hex())
`
	out, err = exec.Command("python3", "-B", "-c", judged).CombinedOutput()
	want := inner + " ['N6'] False\n[('N3', 262145, '192.0.2.1', 9), ('N6', None, None, None)]\n" + moved + "\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, Text))
	if err != nil || !strings.Contains(string(text), "| Asked for by | TS 29.244 8.2.26 |") {
		t.Errorf("%v\n%s", err, text)
	}
	if err := Write(dir, finding(), captured(t, ofUplink)); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("written over: %v", err)
	}
}

// TestHostileWords: text of somebody else's result stays text: it ends neither the string that it is in nor the table,
// and moves no terminal.
func TestHostileWords(t *testing.T) {
	f := finding()
	f.UPF, f.Case.Title, f.Case.Observed = "a | b", "%(prog)s 100 % \x1b[2J", "],[ \n# heading \"\"\"); import os #"
	dir := filepath.Join(t.TempDir(), "finding")
	if err := Write(dir, f, captured(t, "],[ \"\"\" %s: goes nowhere (mark 11223344556677880000000000000001)")); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("python3", "-B", filepath.Join(dir, Script), "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "%(prog)s 100 %") || strings.Contains(string(out), "\x1b") {
		t.Errorf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, Text))
	if err != nil || strings.Contains(string(text), "\n# heading") || strings.Contains(string(text), "a | b") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestWordsAreUnderstood: the script finds in the words of each case where its packets are due.
func TestWordsAreUnderstood(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "finding")
	if err := Write(dir, finding(), captured(t, ofUplink)); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, c := range cases.All() {
		for _, s := range c.Steps(behaviour.Sample()) {
			if text, sends := strings.CutPrefix(s.Text, "send "); sends {
				words = append(words, strings.Split(text, "; ")...)
			}
		}
	}
	asked := exec.Command("python3", "-B", "-c", `
import sys, importlib.util
s = importlib.util.spec_from_file_location("reproduce", sys.argv[1]); m = importlib.util.module_from_spec(s); s.loader.exec_module(m)
for line in sys.stdin:
    line = line.rstrip("\n")
    if ": arrives " in line or line.endswith(": goes nowhere"):
        found = m.wants(line)
        tunnels = line.split(": arrives ")[-1].count("on N3 in tunnel")
        assert len([w for w in found if w[0] == "N3"]) == tunnels, line
        print("read")
`, filepath.Join(dir, Script))
	asked.Stdin = strings.NewReader(strings.Join(words, "\n"))
	out, err := asked.CombinedOutput()
	if n := strings.Count(string(out), "read\n"); err != nil || n < 300 {
		t.Errorf("%v, %d of %d read\n%s", err, n, len(words), out)
	}
}

// TestOldCapture: one without comments says so, and one that is no capture, too.
func TestOldCapture(t *testing.T) {
	for _, c := range []struct {
		packets []byte
		says    string
	}{{captured(t, ""), "it does not say what is to become of each packet"}, {nil, "empty"}, {captured(t, ofUplink)[:300], "EOF"}} {
		if _, err := read(c.packets); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// FuzzRead: whatever a capture holds, reading it ends.
func FuzzRead(f *testing.F) {
	t := &testing.T{}
	f.Add(captured(t, ofUplink))
	f.Add(captured(t, ""))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = read(b) })
}
