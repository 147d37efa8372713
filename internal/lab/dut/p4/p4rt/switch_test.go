package p4rt

import (
	"context"
	"net"
	"strings"
	"testing"

	configv1 "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4v1 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
)

// server is a switch that records its requests.
type server struct {
	p4v1.UnimplementedP4RuntimeServer
	primary bool // somebody else is
	primed  int
	program *p4v1.SetForwardingPipelineConfigRequest
	written []*p4v1.WriteRequest
}

func (s *server) StreamChannel(stream p4v1.P4Runtime_StreamChannelServer) error {
	ask, err := stream.Recv()
	if err != nil {
		return err
	}
	answer := ask.GetArbitration()
	answer.Status = &status.Status{}
	if s.primary {
		answer.Status = &status.Status{Code: 6, Message: "Is backup"}
	}
	s.primed++
	if err := stream.Send(&p4v1.StreamMessageResponse{Update: &p4v1.StreamMessageResponse_Arbitration{Arbitration: answer}}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (s *server) SetForwardingPipelineConfig(_ context.Context,
	r *p4v1.SetForwardingPipelineConfigRequest) (*p4v1.SetForwardingPipelineConfigResponse, error) {
	s.program = r
	return &p4v1.SetForwardingPipelineConfigResponse{}, nil
}

func (s *server) Write(_ context.Context, r *p4v1.WriteRequest) (*p4v1.WriteResponse, error) {
	s.written = append(s.written, r)
	return &p4v1.WriteResponse{}, nil
}

// Read answers in two messages.
func (s *server) Read(r *p4v1.ReadRequest, stream p4v1.P4Runtime_ReadServer) error {
	for i := range int64(2) {
		e := &p4v1.Entity{Entity: &p4v1.Entity_TableEntry{TableEntry: &p4v1.TableEntry{TableId: 9}}}
		if r.Entities[0].GetCounterEntry() != nil {
			e.Entity = &p4v1.Entity_CounterEntry{CounterEntry: &p4v1.CounterEntry{
				Index: &p4v1.Index{Index: i}, Data: &p4v1.CounterData{PacketCount: 10 * i, ByteCount: 999}}}
		}
		if err := stream.Send(&p4v1.ReadResponse{Entities: []*p4v1.Entity{e}}); err != nil {
			return err
		}
	}
	return nil
}

func serve(t *testing.T, s *server) *Switch {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	p4v1.RegisterP4RuntimeServer(g, s)
	go g.Serve(l)
	t.Cleanup(g.Stop)
	c, err := New(l.Addr().String(), 7, new(net.Dialer).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestSet(t *testing.T) {
	s := &server{}
	c := serve(t, s)
	info := &configv1.P4Info{PkgInfo: &configv1.PkgInfo{Arch: "v1model"}}
	if err := c.Set(t.Context(), Program{Info: info, Device: []byte("{}")}, []*p4v1.TableEntry{{TableId: 1}, {TableId: 2}}); err != nil {
		t.Fatal(err)
	}
	p := s.program
	if s.primed != 1 || p.DeviceId != 7 || p.ElectionId.GetLow() != 1 || p.Config.GetP4Info().GetPkgInfo().GetArch() != "v1model" ||
		string(p.Config.GetP4DeviceConfig()) != "{}" || p.Action != p4v1.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT {
		t.Errorf("the switch received %v", p)
	}
	if len(s.written) != 2 || s.written[1].Updates[0].Type != p4v1.Update_INSERT ||
		s.written[1].Updates[0].Entity.GetTableEntry().TableId != 2 {
		t.Errorf("and %v", s.written)
	}
}

func TestSetWhereAnotherIsPrimary(t *testing.T) {
	s := &server{primary: true}
	err := serve(t, s).Set(t.Context(), Program{}, nil)
	if err == nil || !strings.Contains(err.Error(), "another primary controller") || s.program != nil {
		t.Errorf("%v; the switch received %v", err, s.program)
	}
}

func TestRead(t *testing.T) {
	c := serve(t, &server{})
	if n, err := c.Entries(t.Context(), 9); n != 2 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	cells, err := c.Packets(t.Context(), 1)
	if err != nil || len(cells) != 2 || cells[0] != 0 || cells[1] != 10 {
		t.Errorf("the counter is %v, %v", cells, err)
	}
}

func TestNobodyListens(t *testing.T) {
	c, err := New("127.0.0.1:1", 1, new(net.Dialer).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Set(t.Context(), Program{}, nil); err == nil || !strings.Contains(err.Error(), "open the switch's stream") {
		t.Errorf("the error is %v", err)
	}
}
