package capture

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/text/wait"
)

// Whatever kind of program a port has, what comes in is copied, goes on to it, and the
// port has its program again afterwards.
func TestChainStandsBeforeAnyProgram(t *testing.T) {
	tb := sitetest.Build(t)
	for _, kind := range []struct {
		flags  uint32
		attach ebpf.AttachType
	}{{0, ebpf.AttachXDP}, {unix.BPF_F_XDP_HAS_FRAGS, ebpf.AttachXDP}, {0, ebpf.AttachNone}, {unix.BPF_F_XDP_HAS_FRAGS, ebpf.AttachNone}} {
		t.Run(fmt.Sprintf("flags %#x, attached as %v", kind.flags, kind.attach), func(t *testing.T) {
			standBefore(t, tb, kind.flags, kind.attach)
		})
	}
}

func standBefore(t *testing.T, tb site.Site, flags uint32, as ebpf.AttachType) {
	runs, program := counting(t, flags, as)
	attach(t, tb.Links().UPFN3, program)
	before, err := tb.Links().UPFN3.XDP().Program()
	if err != nil {
		t.Fatal(err)
	}
	var seen collected
	c, err := openChain(tb.Links().UPFN3, 0, 3, seen.add)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		send(t, tb.Links().GNB, ours)
	}
	within(t, "all frames are counted by the port's own program", func() bool { return runs() == 5 })
	if err := c.close(); err != nil {
		t.Error(err)
	}
	if n := seen.count(ours); n != 3 {
		t.Errorf("%d frames were copied, want 3", n)
	}
	if after, err := tb.Links().UPFN3.XDP().Program(); err != nil || after != before {
		t.Errorf("the port has program %d, %v, afterwards, want %d", after, err, before)
	}
}

// ours is a frame of a type that nobody else sends.
var ours = append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 46)...)

type collected struct {
	mu     sync.Mutex
	frames []frame
}

func (c *collected) add(f frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames = append(c.frames, f)
}

func (c *collected) count(like []byte) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.frames {
		if bytes.Equal(f.bytes, like) && f.length == len(like) {
			n++
		}
	}
	return n
}

// counting is a program of a kind that counts frames of our type and drops all.
func counting(t *testing.T, flags uint32, as ebpf.AttachType) (runs func() uint64, p *ebpf.Program) {
	t.Helper()
	m, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	p, err = ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.XDP, AttachType: as, Flags: flags, License: "GPL",
		Instructions: asm.Instructions{
			asm.LoadMem(asm.R2, asm.R1, 0, asm.Word), // data
			asm.LoadMem(asm.R3, asm.R1, 4, asm.Word), // its end
			asm.Mov.Reg(asm.R4, asm.R2),
			asm.Add.Imm(asm.R4, 14),
			asm.JGT.Reg(asm.R4, asm.R3, "drop"),
			asm.LoadMem(asm.R5, asm.R2, 12, asm.Half),
			asm.JNE.Imm(asm.R5, 0xb588, "drop"),
			asm.StoreImm(asm.RFP, -4, 0, asm.Word),
			asm.LoadMapPtr(asm.R1, m.FD()),
			asm.Mov.Reg(asm.R2, asm.RFP),
			asm.Add.Imm(asm.R2, -4),
			asm.FnMapLookupElem.Call(),
			asm.JEq.Imm(asm.R0, 0, "drop"),
			asm.Mov.Imm(asm.R1, 1),
			asm.StoreXAdd(asm.R0, asm.R1, asm.DWord),
			asm.Mov.Imm(asm.R0, 1).WithSymbol("drop"), // XDP_DROP
			asm.Return(),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return func() (n uint64) { m.Lookup(uint32(0), &n); return n }, p
}

func attach(t *testing.T, p netdev.Port, program *ebpf.Program) {
	t.Helper()
	err := p.NS.Do(func() error {
		l, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: p.Index, Flags: link.XDPDriverMode})
		if err == nil {
			t.Cleanup(func() { l.Close() })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func send(t *testing.T, p netdev.Port, bytes []byte) {
	t.Helper()
	err := p.NS.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Sendto(fd, bytes, 0, &unix.SockaddrLinklayer{Ifindex: p.Index})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func within(t *testing.T, what string, met func() bool) {
	t.Helper()
	if !wait.Until(time.Second, 2*time.Millisecond, met) {
		t.Errorf("not within a second: %s", what)
	}
}
