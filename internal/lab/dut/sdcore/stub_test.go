package sdcore

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
)

// This test program stands for SD-Core's programs when it is called by their names: they
// answer what upflab asks, and move no packets.
func TestMain(m *testing.M) {
	stub, ok := map[string]func() error{"bessd": bessd, "bessctl": leave("pipeline"), "pfcpiface": pfcpiface,
		"route_control.py": routeControl}[filepath.Base(os.Args[0])]
	if !ok {
		os.Exit(m.Run())
	}
	if err := stub(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// mark is a file next to the configuration, by which the programs know of each other.
func mark(name string) string { return filepath.Join(filepath.Dir(os.Getenv("CONF_FILE")), name) }

func leave(name string) func() error {
	return func() error { return os.WriteFile(mark(name), nil, 0o644) }
}

func routeControl() error {
	if err := leave("routes")(); err != nil {
		return err
	}
	for { // not select {}: the runtime ends a program that waits for nothing
		time.Sleep(time.Hour)
	}
}

// pfcpiface has its HTTP port only.
func pfcpiface() error { return http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", httpPort), nil) }

// octets are messages as they are.
type octets struct{}

func (octets) Name() string                  { return "proto" }
func (octets) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }
func (octets) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

var ifname = regexp.MustCompile(`"ifname": "([^"]+)"`)

func bessd() error {
	text, err := os.ReadFile(os.Getenv("CONF_FILE"))
	if err != nil {
		return err
	}
	var devices []string
	for _, m := range ifname.FindAllSubmatch(text, -1) {
		devices = append(devices, string(m[1]))
	}
	l, err := net.Listen("tcp", "127.0.0.1:10514")
	if err != nil {
		return err
	}
	return grpc.NewServer(grpc.ForceServerCodec(octets{}), grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(s)
		var question []byte
		if err := s.RecvMsg(&question); err != nil {
			return err
		}
		answer := pipeline(devices, path.Base(method), question)
		return s.SendMsg(&answer)
	})).Serve(l)
}

func text(to []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(to, field, protowire.BytesType), s)
}

func number(to []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), n)
}

var rounds atomic.Uint64

// pipeline answers as BESS with one port for each device, by bess_msg.proto: one module
// leads to a sink, and got 7 packets there.
func pipeline(devices []string, method string, question []byte) (answer []byte) {
	_, err := os.Stat(mark("pipeline"))
	switch {
	case method == "GetVersion":
		return text(nil, 2, "v1")
	case err != nil:
		return text(nil, 1, string(text(number(nil, 1, 2), 2, "No port")))
	case method == "ListModules":
		answer = text(answer, 2, string(text(text(nil, 1, "parse"), 2, "Parse")))
		return text(answer, 2, string(text(text(nil, 1, "badPkts"), 2, "Sink")))
	case method == "GetModuleInfo" && strings.Contains(string(question), "parse"):
		return text(nil, 7, string(text(number(nil, 3, 7), 6, "badPkts")))
	case method == "GetModuleInfo" && strings.Contains(string(question), "DstMAC"):
		if _, err := os.Stat(mark("routes")); err == nil {
			return text(nil, 7, string(text(nil, 6, "core")))
		}
	case method == "ListTcs":
		for _, d := range devices {
			answer = text(answer, 2, string(text(nil, 1, string(text(text(text(nil, 2, "!leaf_"+d), 4, "leaf"), 11, d+"FastPI")))))
		}
	case method == "GetTcStats":
		n := rounds.Add(1)
		return number(number(nil, 3, n), 4, 100*n)
	}
	return answer
}
