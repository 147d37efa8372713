package dut

import (
	"net/netip"

	"github.com/upflab/upflab/internal/lab/smf"
)

// Endpoint is how to reach a running DUT, and how it handles packets.
type Endpoint struct {
	// Kind is what it does with packets; zero: it is a UPF.
	Kind Kind
	// N4 is where it listens for PFCP; invalid for what is no UPF.
	N4      netip.AddrPort
	Dialect smf.Dialect
	// XDP is where its data path has XDP; zero: nowhere.
	XDP XDP
	// Polls is true when the UPF never sleeps: how busy its CPU is says nothing.
	Polls bool
	// Offloads is true when the DUT takes long segments and unfinished checksums, as
	// only the kernel's own forwarding without GTP-U does.
	Offloads bool
	// Remarks are what the UPF does differently in this testbed than its name suggests.
	Remarks []string
}

// Kind is what a DUT does with packets.
type Kind uint8

// The kinds. All but UPF have no N4: the scenario alone says where packets go.
const (
	UPF          Kind = iota // forwards by the sessions that it is given over N4
	Decapsulator             // takes GTP-U off and puts it on
	Router                   // forwards IP packets: N3 carries them without GTP-U
	Wire                     // frames leave as they came
	Bridge                   // a wire that is an Ethernet bridge: frames go to the port where they are to arrive, not to one of the DUT
)

// HasN4 reports whether there are sessions to establish.
func (e Endpoint) HasN4() bool { return e.Kind == UPF }

// Containers reports whether downlink G-PDUs, where there are any, carry a PDU session container. Only
// a UPF can leave it out: that is a matter of its dialect.
func (e Endpoint) Containers() bool { return !e.HasN4() || e.Dialect.DLPSC }

// IsWire reports whether frames leave as they came.
func (e Endpoint) IsWire() bool { return e.Kind == Wire || e.Kind == Bridge }

// XDP is where a data path has XDP programs or sockets.
type XDP uint8

// The places of XDP.
const (
	NoXDP XDP = iota
	// NativeXDP programs run in the drivers of N3 and N6, which switches NAPI on there.
	NativeXDP
	// GenericXDP programs are run by the kernel outside the drivers: they are part of its
	// receive work, which then belongs to the UPF.
	GenericXDP
	// SendXDP data paths send by AF_XDP and receive otherwise: classifiers and packet sockets
	// at their ports do not see what they send.
	SendXDP
)

// Receives reports whether packets arrive by XDP, native or generic.
func (x XDP) Receives() bool { return x == NativeXDP || x == GenericXDP }

// XDPIn is the XDP of programs that run in the drivers where native is true, and outside them
// otherwise.
func XDPIn(native bool) XDP {
	if native {
		return NativeXDP
	}
	return GenericXDP
}
