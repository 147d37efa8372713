package pcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

const captures = "../../traffic/replay/testdata/"

// TestReadsWhatTsharkReads: each format, each byte order, times to the nanosecond, and link
// types, by Wireshark's programs: editcap writes, tshark reads.
func TestReadsWhatTsharkReads(t *testing.T) {
	for _, program := range []string{"tshark", "editcap"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("tshark is not installed")
		}
	}
	files := []string{captures + "ethernet.pcap", captures + "ethernet.pcapng", captures + "raw.pcap", captures + "sll.pcap"}
	for _, format := range []string{"pcap", "nsecpcap", "pcapng"} {
		to := filepath.Join(t.TempDir(), format)
		// A snap length, so that packets are cut, and times that are no whole microseconds.
		out, err := exec.Command("editcap", "-F", format, "-s", "60", "-t", "0.000000123", captures+"ethernet.pcap", to).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		files = append(files, to)
	}
	files = append(files, turned(t, captures+"ethernet.pcap"))
	for _, file := range files {
		out, err := exec.Command("tshark", "-r", file, "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len",
			"-e", "frame.cap_len").Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := list(t, file); got != string(out) {
			t.Errorf("%s:\n%s\ntshark reads\n%s", file, got, out)
		}
	}
}

// list is a file's packets as tshark prints them.
func list(t *testing.T, file string) (text string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return text
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		text += fmt.Sprintf("%d.%09d\t%d\t%d\n", p.At.Unix(), p.At.Nanosecond(), p.Length, len(p.Data))
	}
}

// turned is a classic capture in the other byte order.
func turned(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	turn := func(at int) { binary.BigEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])) }
	version := b[4:8]
	version[0], version[1], version[2], version[3] = version[1], version[0], version[3], version[2]
	for _, at := range []int{0, 8, 12, 16, 20} {
		turn(at)
	}
	for at := 24; at < len(b); {
		n := int(binary.LittleEndian.Uint32(b[at+8:]))
		for i := range 4 {
			turn(at + 4*i)
		}
		at += 16 + n
	}
	to := filepath.Join(t.TempDir(), "turned.pcap")
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestDamaged: what a file claims costs no memory, and its end in mid-packet is an error.
func TestDamaged(t *testing.T) {
	whole, err := os.ReadFile(captures + "ethernet.pcap")
	if err != nil {
		t.Fatal(err)
	}
	huge := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(huge[24+8:], 1<<31)
	for name, b := range map[string][]byte{"huge": huge, "cut": whole[:len(whole)-3]} {
		r, err := NewReader(bytes.NewReader(b))
		for err == nil {
			_, err = r.Next()
		}
		if errors.Is(err, io.EOF) {
			t.Errorf("%s: it ends like a whole one", name)
		}
		if cap(r.buf) > 2*maxPacket {
			t.Errorf("%s: %d octets of memory", name, cap(r.buf))
		}
	}
	for _, b := range []string{"", "abc", "neither one nor the other, but text"} {
		if _, err := NewReader(bytes.NewReader([]byte(b))); err == nil {
			t.Errorf("%q is a capture", b)
		}
	}
}

func FuzzReader(f *testing.F) {
	fuzztest.Brief(f)
	for _, name := range []string{"ethernet.pcap", "ethernet.pcapng", "raw.pcap", "sll.pcap"} {
		b, err := os.ReadFile(captures + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b))
		read := 0
		for err == nil {
			var p Packet
			p, err = r.Next()
			read += len(p.Data)
		}
		if read > len(b) {
			t.Errorf("%d octets of packets in a file of %d", read, len(b))
		}
	})
}

// TestTimestamps: units of seconds by draft-ietf-opsawg-pcapng clause 4.2, if_tsresol.
func TestTimestamps(t *testing.T) {
	for _, c := range []struct {
		resolution byte
		stamp      uint64
		seconds    int64
		nanos      int
	}{
		{0, 1_700_000_000, 1_700_000_000, 0}, {3, 1_500, 1, 500_000_000},
		{6, 1_700_000_000_123_456, 1_700_000_000, 123_456_000}, {9, 1_700_000_000_123_456_789, 1_700_000_000, 123_456_789},
		{12, 1_500_000_000_999, 1, 500_000_000}, {19, 1<<64 - 1, 1, 844_674_407},
		{0x80, 7, 7, 0}, {0x80 | 10, 1536, 1, 500_000_000}, {0x80 | 63, 1 << 62, 0, 500_000_000},
	} {
		at := timebase{ticks: ticksOf(c.resolution), offset: 10}.at(c.stamp)
		if at.Unix() != c.seconds+10 || at.Nanosecond() != c.nanos {
			t.Errorf("%#x of resolution %#x is %d.%09d s", c.stamp, c.resolution, at.Unix()-10, at.Nanosecond())
		}
	}
}
