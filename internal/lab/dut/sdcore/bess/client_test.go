package bess

import (
	"fmt"
	"net"
	"path"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// raw is a codec that takes messages as the bytes they are.
type raw struct{}

func (raw) Name() string                  { return "proto" }
func (raw) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

// daemon answers each question with the bytes that answer gives for it.
func daemon(t testing.TB, answer func(method string, question []byte) ([]byte, error)) *Client {
	t.Helper()
	server := grpc.NewServer(grpc.ForceServerCodec(raw{}), grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(s)
		if service := path.Dir(method); service != "/bess.pb.BESSControl" {
			return fmt.Errorf("asked the service %s", service)
		}
		var question []byte
		if err := s.RecvMsg(&question); err != nil {
			return err
		}
		message, err := answer(path.Base(method), question)
		if err != nil {
			return err
		}
		return s.SendMsg(&message)
	}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	t.Cleanup(server.Stop)
	return client(t, l.Addr().String())
}

func client(t testing.TB, addr string) *Client {
	t.Helper()
	c, err := New(addr, new(net.Dialer).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// What bessd refuses, and what is no bessd. The bytes are by the specification
// (protobuf.dev, Encoding): error {code: 2, errmsg: "No port"}.
func TestErrors(t *testing.T) {
	refused := append([]byte{0x0a, 0x0b, 0x08, 0x02, 0x12, 0x07}, "No port"...)
	for want, answer := range map[string]func(string, []byte) ([]byte, error){
		"Unimplemented desc = no such method": func(string, []byte) ([]byte, error) {
			return nil,
				status.Error(codes.Unimplemented, "no such method")
		},
		"error 2: No port": func(string, []byte) ([]byte, error) { return refused, nil },
		"proto":            func(string, []byte) ([]byte, error) { return refused[:5], nil },
		"larger than max":  func(string, []byte) ([]byte, error) { return make([]byte, maxAnswer+1), nil },
	} {
		c := daemon(t, answer)
		if _, err := c.PortStats(t.Context(), "n3Fast"); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "port n3Fast") {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
	if _, err := client(t, "127.0.0.1:1").Version(t.Context()); err == nil || !strings.Contains(err.Error(), "ask bessd for GetVersion") {
		t.Errorf("when nobody listens: %v", err)
	}
}

// TestEmptyAnswers: an answer without a field is one of zeros.
func TestEmptyAnswers(t *testing.T) {
	c := daemon(t, func(string, []byte) ([]byte, error) { return nil, nil })
	if s, err := c.PortStats(t.Context(), "n3Fast"); err != nil || s.In.Packets != 0 || len(s.Out.Actual) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if l, err := c.Leaves(t.Context()); err != nil || len(l) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestLateDaemon: a daemon that starts after the first question is reached soon.
func TestLateDaemon(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	c := client(t, addr)
	if _, err := c.Version(t.Context()); err == nil {
		t.Fatal("a daemon that is not there answers")
	}
	if l, err = net.Listen("tcp", addr); err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(raw{}), grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		return s.SendMsg(&[]byte{0x12, 0x01, 'v'})
	}))
	go server.Serve(l)
	t.Cleanup(server.Stop)
	for t.Context().Err() == nil { // until the test's own time limit
		if v, err := c.Version(t.Context()); err == nil {
			if v != "v" {
				t.Errorf("version %q", v)
			}
			return
		}
	}
}
