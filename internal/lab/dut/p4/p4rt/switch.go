// Package p4rt speaks P4Runtime 1.3 with a switch: it loads a program, writes
// the entries that no other controller writes, and reads counters. The specification is
// https://p4.org/p4-spec/p4runtime/main/P4Runtime-Spec.html; clauses are of that.
package p4rt

import (
	"context"
	"fmt"
	"io"
	"net"

	configv1 "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4v1 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Switch is one device behind a P4Runtime server.
type Switch struct {
	conn   *grpc.ClientConn
	client p4v1.P4RuntimeClient
	device uint64
}

// Dial is how a Switch is reached, as net.Dialer.DialContext.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// maxAnswer in octets: counters come all at once, some 30 octets each.
const maxAnswer = 64 << 20

// New gives the device of that number behind the server at addr, "127.0.0.1:9559".
// It connects when it is first asked.
func New(addr string, device uint64, dial Dial) (*Switch, error) {
	conn, err := grpc.NewClient("passthrough:///"+addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return dial(ctx, "tcp", addr) }),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)))
	if err != nil {
		return nil, fmt.Errorf("P4Runtime server %s: %w", addr, err)
	}
	return &Switch{conn: conn, client: p4v1.NewP4RuntimeClient(conn), device: device}, nil
}

// Close ends the connection.
func (s *Switch) Close() error { return s.conn.Close() }

// Program is a compiled P4 program.
type Program struct {
	Info   *configv1.P4Info
	Device []byte // what the switch runs: for BMv2 its JSON
}

// election is ours (clause 5): low, so that any controller comes before us.
var election = &p4v1.Uint128{Low: 1}

// Set makes the program the switch's and writes the entries, as its primary
// controller for as long as that takes. It fails where another one is primary.
func (s *Switch) Set(ctx context.Context, p Program, entries []*p4v1.TableEntry) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // gives the place of the primary up
	if err := s.arbitrate(ctx); err != nil {
		return err
	}
	_, err := s.client.SetForwardingPipelineConfig(ctx, &p4v1.SetForwardingPipelineConfigRequest{
		DeviceId: s.device, ElectionId: election, Action: p4v1.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT,
		Config: &p4v1.ForwardingPipelineConfig{P4Info: p.Info, P4DeviceConfig: p.Device},
	})
	if err != nil {
		return fmt.Errorf("set the switch's program: %w", err)
	}
	for _, e := range entries {
		if err := s.insert(ctx, e); err != nil {
			return fmt.Errorf("write an entry of table %s: %w", tableName(p.Info, e.TableId), err)
		}
	}
	return nil
}

// arbitrate makes us the primary, which we are until ctx ends.
func (s *Switch) arbitrate(ctx context.Context) error {
	stream, err := s.client.StreamChannel(ctx)
	if err != nil {
		return fmt.Errorf("open the switch's stream: %w", err)
	}
	ask := &p4v1.MasterArbitrationUpdate{DeviceId: s.device, ElectionId: election}
	if err := stream.Send(&p4v1.StreamMessageRequest{Update: &p4v1.StreamMessageRequest_Arbitration{Arbitration: ask}}); err != nil {
		return fmt.Errorf("ask to be the switch's primary controller: %w", err)
	}
	answer, err := stream.Recv()
	if err != nil {
		return fmt.Errorf("ask to be the switch's primary controller: %w", err)
	}
	if status := answer.GetArbitration().GetStatus(); answer.GetArbitration() == nil || status.GetCode() != 0 {
		return fmt.Errorf("the switch has another primary controller (status %d %q): end it first", status.GetCode(), status.GetMessage())
	}
	return nil
}

func (s *Switch) insert(ctx context.Context, e *p4v1.TableEntry) error {
	_, err := s.client.Write(ctx, &p4v1.WriteRequest{
		DeviceId: s.device, ElectionId: election,
		Updates: []*p4v1.Update{{Type: p4v1.Update_INSERT, Entity: &p4v1.Entity{Entity: &p4v1.Entity_TableEntry{TableEntry: e}}}},
	})
	return err
}

// Entries is how many a table has.
func (s *Switch) Entries(ctx context.Context, table uint32) (n int, err error) {
	ask := &p4v1.Entity{Entity: &p4v1.Entity_TableEntry{TableEntry: &p4v1.TableEntry{TableId: table}}}
	err = s.read(ctx, ask, func(e *p4v1.Entity) {
		if e.GetTableEntry() != nil {
			n++
		}
	})
	return n, err
}

// Packets are those that each cell of a counter has counted.
func (s *Switch) Packets(ctx context.Context, counter uint32) (map[int64]uint64, error) {
	cells := map[int64]uint64{}
	ask := &p4v1.Entity{Entity: &p4v1.Entity_CounterEntry{CounterEntry: &p4v1.CounterEntry{CounterId: counter}}}
	err := s.read(ctx, ask, func(e *p4v1.Entity) {
		if c := e.GetCounterEntry(); c != nil {
			cells[c.GetIndex().GetIndex()] = uint64(max(0, c.GetData().GetPacketCount()))
		}
	})
	return cells, err
}

func (s *Switch) read(ctx context.Context, what *p4v1.Entity, each func(*p4v1.Entity)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.client.Read(ctx, &p4v1.ReadRequest{DeviceId: s.device, Entities: []*p4v1.Entity{what}})
	if err != nil {
		return fmt.Errorf("read from the switch: %w", err)
	}
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read from the switch: %w", err)
		}
		for _, e := range answer.GetEntities() {
			each(e)
		}
	}
}
