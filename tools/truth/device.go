package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"gopkg.in/yaml.v3"
)

// Behaviour is all that a device does to packets besides forwarding them. The zero value forwards at once.
type Behaviour struct {
	Hold   time.Duration `json:"hold_ns"`   // how long each packet stays
	Spread time.Duration `json:"spread_ns"` // added to Hold: uniform from 0 to this, packet by packet
	Loss   float64       `json:"loss"`      // probability that a packet is dropped
	Rate   float64       `json:"rate"`      // packets/s in each direction; 0: as they come
}

// room is how many packets wait for a server of a known rate.
const room = 64

// config is the part of eUPF's configuration that the device reads.
type config struct {
	Interfaces []string `yaml:"interface_name"` // N3, N6
	PFCP       string   `yaml:"pfcp_address"`
	N3         string   `yaml:"n3_address"`
}

// serve is the device: it takes eUPF's command line and place. Its folder has its behaviour, and gets its ledger.
func serve(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var c config
	if err := yaml.Unmarshal(text, &c); err != nil {
		return err
	}
	if len(c.Interfaces) != 2 {
		return fmt.Errorf("%s: interface_name has %d entries, want N3 and N6", path, len(c.Interfaces))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	home := filepath.Dir(self)
	text, err = os.ReadFile(filepath.Join(home, "behaviour.json"))
	if err != nil {
		return err
	}
	var b Behaviour
	if err := json.Unmarshal(text, &b); err != nil {
		return err
	}
	n4, err := listen(c.PFCP, c.N3)
	if err != nil {
		return err
	}
	n3, err := open(c.Interfaces[0])
	if err != nil {
		return err
	}
	n6, err := open(c.Interfaces[1])
	if err != nil {
		return err
	}
	// The kernel has no reason to answer for a port that somebody listens to.
	guard, err := net.ListenPacket("udp4", net.JoinHostPort(c.N3, "2152"))
	if err != nil {
		return err
	}
	defer guard.Close()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	go n4.answer()
	up := &lane{from: n3, to: n6, behaviour: b, change: n4.decapsulate, random: seeded(1)}
	down := &lane{from: n6, to: n3, behaviour: b, change: n4.encapsulate, random: seeded(2)}
	runtime.LockOSThread()
	for {
		for range 64 {
			up.step()
			down.step()
		}
		select {
		case <-end:
			return keep(filepath.Join(home, fmt.Sprintf("ledger-%d.json", time.Now().UnixNano())), up.ledger, down.ledger)
		default:
		}
	}
}

func keep(path string, up, down []account) error {
	text, err := json.Marshal(map[string][]account{"uplink": up, "downlink": down})
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// port is a packet socket on a device.
type port struct {
	fd    int
	name  string
	index int
	mac   net.HardwareAddr
	peer  net.HardwareAddr // who is at the other end, once it is known
}

func open(device string) (*port, error) {
	i, err := net.InterfaceByName(device)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK, int(htons(unix.ETH_P_ALL)))
	if err != nil {
		return nil, fmt.Errorf("packet socket on %s: %w", device, err)
	}
	p := &port{fd: fd, name: device, index: i.Index, mac: i.HardwareAddr}
	for _, o := range []struct{ level, name, value int }{
		{unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1},
		{unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16 << 20},
		{unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1},
	} {
		if err := unix.SetsockoptInt(fd, o.level, o.name, o.value); err != nil {
			return nil, fmt.Errorf("packet socket on %s: %w", device, err)
		}
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: htons(unix.ETH_P_ALL), Ifindex: i.Index}); err != nil {
		return nil, fmt.Errorf("packet socket on %s: %w", device, err)
	}
	return p, nil
}

func htons(v uint16) uint16 { return v<<8 | v>>8 }

// held is a packet until it is due.
type held struct {
	frame []byte
	due   int64
	mark  mark
}

// mark is what the generator wrote into the packet: the number of the trial, and when the packet was due
// there, ns of CLOCK_MONOTONIC.
type mark struct {
	trial    uint16
	intended int64
}

// account is what the device did in a trial. Before and After are when each packet was handed to the link,
// and when that call had returned, ns after the packet was due at the generator: it arrived between the two.
type account struct {
	Trial         uint16
	In, Lost      int
	First, Last   int64 // when the first and the last packet were due at the generator
	Before, After []int64
}

// rate is what was sent to the device, in packets/s.
func (a *account) rate() float64 { return float64(a.In-1) * 1e9 / float64(max(a.Last-a.First, 1)) }

// lane is one direction.
type lane struct {
	from, to  *port
	behaviour Behaviour
	change    func(frame []byte, out *port) []byte // nil: not for a session
	random    *rand.Rand
	queue     []held
	last      int64 // due time of the last packet that was let in
	ledger    []account
	buffer    [2048]byte
	control   [128]byte
}

// step takes a packet that is there, and sends one that is due.
func (l *lane) step() {
	if n, at, ok := l.read(); ok {
		l.take(l.buffer[:n], at)
	}
	for len(l.queue) > 0 && now() >= l.queue[0].due {
		h := l.queue[0]
		l.queue = l.queue[1:]
		before := now()
		if err := unix.Sendto(l.to.fd, h.frame, 0, &unix.SockaddrLinklayer{Ifindex: l.to.index}); err != nil {
			if a := l.account(h.mark.trial); a != nil {
				a.Lost++
			}
			continue
		}
		after := now()
		if a := l.account(h.mark.trial); a != nil {
			a.Before, a.After = append(a.Before, before-h.mark.intended), append(a.After, after-h.mark.intended)
		}
	}
}

// read is a frame and when the kernel had it from the link.
func (l *lane) read() (n int, at int64, ok bool) {
	n, oob, _, _, err := unix.Recvmsg(l.from.fd, l.buffer[:], l.control[:], 0)
	if err != nil || n == 0 {
		return 0, 0, false
	}
	at = now()
	messages, err := unix.ParseSocketControlMessage(l.control[:oob])
	if err != nil {
		return n, at, true
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPNS && len(m.Data) >= 16 {
			wall := int64(binary.NativeEndian.Uint64(m.Data))*1e9 + int64(binary.NativeEndian.Uint64(m.Data[8:]))
			at -= time.Now().UnixNano() - wall
		}
	}
	return n, at, true
}

func (l *lane) take(frame []byte, at int64) {
	out := l.change(frame, l.to)
	if out == nil {
		return
	}
	m, found := readMark(out)
	a := l.account(m.trial)
	if !found {
		a = nil
	}
	if a != nil {
		if a.In == 0 {
			a.First = m.intended
		}
		a.In, a.Last = a.In+1, m.intended
	}
	b := l.behaviour
	due := at + int64(b.Hold)
	if b.Spread > 0 {
		due += l.random.Int64N(int64(b.Spread) + 1)
	}
	if b.Rate > 0 {
		due = max(due, l.last+int64(1e9/b.Rate))
	}
	if found && (l.random.Float64() < b.Loss || b.Rate > 0 && len(l.queue) >= room) {
		a.Lost++
		return
	}
	l.last = max(l.last, due)
	l.queue = append(l.queue, held{frame: out, due: l.last, mark: m}) // never before the one ahead
}

func seeded(lane uint64) *rand.Rand { return rand.New(rand.NewPCG(lane, uint64(now()))) }

// account is that of a trial: the last one, or a new one.
func (l *lane) account(trial uint16) *account {
	if trial == 0 {
		return nil
	}
	for i := len(l.ledger) - 1; i >= 0; i-- {
		if l.ledger[i].Trial == trial {
			return &l.ledger[i]
		}
	}
	l.ledger = append(l.ledger, account{Trial: trial})
	return &l.ledger[len(l.ledger)-1]
}

// readMark finds the mark behind the last UDP header: "fu", then the trial at 2 and the due time at 16, little-endian.
func readMark(frame []byte) (mark, bool) {
	for _, from := range []int{14 + 20 + 8, 14 + 20 + 8 + 16 + 20 + 8} {
		if len(frame) >= from+32 && frame[from] == 'f' && frame[from+1] == 'u' {
			b := frame[from:]
			return mark{binary.LittleEndian.Uint16(b[2:]), int64(binary.LittleEndian.Uint64(b[16:]))}, true
		}
	}
	return mark{}, false
}

// now is CLOCK_MONOTONIC.
func now() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return t.Nano()
}

var errNoNeighbour = errors.New("no neighbour")

// neighbour is the link-layer address of whom a device sees, by the kernel's table.
func neighbour(device string) (net.HardwareAddr, error) {
	text, err := os.ReadFile("/proc/net/arp")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 6 && f[5] == device && f[2] != "0x0" {
			return net.ParseMAC(f[3])
		}
	}
	return nil, errNoNeighbour
}
