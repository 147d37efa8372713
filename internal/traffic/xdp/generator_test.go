package xdp

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// generatorCase is one of testdata/generator.json: the frames of each stream, as
// scapy builds them, with nothing but fill in the payload.
type generatorCase struct {
	Uplink  bool
	IPv6    bool
	Tunnel6 bool
	Payload int
	Frames  []string
}

func (c generatorCase) flow() *traffic.Flow {
	f := testFlow(record.Downlink, c.Payload, traffic.Expect{})
	if c.Uplink {
		f = testFlow(record.Uplink, c.Payload, traffic.Expect{})
	}
	if c.Tunnel6 {
		f = overIPv6(f)
	}
	if c.IPv6 {
		return ofFamilies(f, " IPv6")
	}
	return f
}

// ends are the ports at which a flow is sent and arrives at the UPF.
func (c generatorCase) ends(tb site.Site) (from, to netdev.Port) {
	if c.Uplink {
		return tb.Links().GNB, tb.Links().UPFN3
	}
	return tb.Links().DNN6, tb.Links().UPFN6
}

func TestGeneratorFrames(t *testing.T) {
	var cases []generatorCase
	readJSON(t, "testdata/generator.json", &cases)
	tb := sitetest.Build(t)
	for _, c := range cases {
		t.Run(fmt.Sprintf("uplink %v, IPv6 %v, tunnel IPv6 %v, %d B", c.Uplink, c.IPv6, c.Tunnel6, c.Payload), func(t *testing.T) { c.run(t, tb) })
	}
}

const (
	shortTrial = 100 * time.Millisecond
	lowRate    = 2000 // pps
)

func (c generatorCase) run(t *testing.T, tb site.Site) {
	from, to := c.ends(tb)
	arrived := openCapture(t, to)
	g, err := newGenerator(c.flow(), 0, from, core{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	schedule := traffic.Schedule{PPS: lowRate, Duration: shortTrial, Warmup: 20 * time.Millisecond, Quiet: 10 * time.Millisecond}
	control, err := g.prepare(schedule, testTrial)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.send(context.Background(), &control, schedule, traffic.Marks{}); err != nil {
		t.Fatal(err)
	}
	frames := ours(arrived.frames(t), c.flow())
	if want := int(control.Warmup + control.Slots); len(frames) != want {
		t.Errorf("%d frames arrived, want %d", len(frames), want)
	}
	c.check(t, frames, control)
	tsharkAgrees(t, frames)
}

// ours leaves out what the kernel may have sent itself.
func ours(frames [][]byte, f *traffic.Flow) (list [][]byte) {
	for _, frame := range frames {
		if len(frame) == f.FrameBytes(f.Streams[0], 0) && bytes.Equal(frame[:12], append(f.Destination[:6:6], f.Source...)) {
			list = append(list, frame)
		}
	}
	return list
}

// check compares each frame with scapy's of its stream, and its signature with
// the schedule: streams in turn, numbers from 0, each due at its slot.
func (c generatorCase) check(t *testing.T, frames [][]byte, control generatorControl) {
	t.Helper()
	payloadAt := len(frames[0]) - c.Payload
	warmups := int(control.Warmup)
	for i, frame := range frames {
		s := readSignature(t, frame[payloadAt:])
		if want := uint32(i % 3); s.Stream != want {
			t.Fatalf("frame %d is of stream %d, want %d", i, s.Stream, want)
		}
		c.checkBytes(t, frame, unhex(t, c.Frames[s.Stream]))
		if i < warmups {
			if s.Trial == control.Trial {
				t.Fatalf("frame %d of the warm-up counts", i)
			}
			continue
		}
		n := uint64(i - warmups)
		due := control.Start + ((uint64(i)*control.Gap + control.Quiet<<16) >> 16)
		if s.Trial != control.Trial || s.Seq != seqOf(n, uint64(warmups)) || s.Intended != due || s.Sent < due {
			t.Fatalf("frame %d is signed %+v, want trial %d, due at %d", i, s, control.Trial, due)
		}
	}
}

// checkBytes compares a frame with scapy's, but for the signature, the inner UDP
// checksum, which then has to be right by RFC 1071, and with it the outer one.
func (c generatorCase) checkBytes(t *testing.T, frame, want []byte) {
	t.Helper()
	const checksum = 2
	headers := traffic.LayoutOf(c.flow().Streams[0].UE).Bytes + 8
	payloadAt := len(frame) - c.Payload
	copy(want[payloadAt-checksum:], frame[payloadAt-checksum:payloadAt+signature.Bytes])
	if !bytes.Equal(frame, want) {
		t.Fatalf("a frame is\n%x, want\n%x", frame, want)
	}
	if fault := udpFault(frame[payloadAt-headers:]); fault != 0 {
		t.Fatalf("the inner UDP checksum is off by %#x in\n%x", fault, frame)
	}
	if fault := udpFault(frame[14:]); c.Uplink && fault != 0 {
		t.Fatalf("the outer UDP checksum is off by %#x in\n%x", fault, frame)
	}
}

// seqOf is the number in its stream of the trial's frame n, when the warm-up
// before it had some frames: a stream's turn comes every third frame.
func seqOf(n, warmups uint64) uint64 {
	first := (n + warmups) % 3
	earlier := (first + 3 - warmups%3) % 3 // the stream's first frame in the trial
	return (n - earlier) / 3
}

// tsharkAgrees lets another dissector judge all checksums, where there is one.
func tsharkAgrees(t *testing.T, frames [][]byte) {
	t.Helper()
	path, err := exec.LookPath("tshark")
	if err != nil {
		t.Log("tshark is not installed: checksums were verified by RFC 1071 only")
		return
	}
	file := t.TempDir() + "/frames.pcap"
	if err := os.WriteFile(file, pcap(frames[:min(len(frames), 30)]), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "-r", file, "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE",
		"-T", "fields", "-e", "udp.checksum.status", "-e", "ip.checksum.status").Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		const good = "1"
		for _, status := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == '\t' }) {
			if status != good {
				t.Errorf("frame %d: tshark says of UDP and IP checksums %q, want only %s", i, line, good)
			}
		}
	}
}
