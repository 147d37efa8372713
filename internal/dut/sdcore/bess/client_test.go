package bess

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
)

// daemon answers each call with what answer gives for its method and message: a
// body, or a gRPC status.
func daemon(t *testing.T, answer func(method string, message []byte) (body []byte, status string)) *Client {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := io.ReadAll(r.Body)
		message, err := unframe(request)
		if err != nil || r.Method != http.MethodPost || r.ProtoMajor != 2 || r.Header.Get("TE") != "trailers" ||
			r.Header.Get("Content-Type") != "application/grpc" {
			t.Errorf("%s %s by %s: %v, %v", r.Method, r.URL, r.Proto, r.Header, err)
		}
		body, status := answer(path.Base(r.URL.Path), message)
		w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
		w.Write(body)
		code, words, _ := strings.Cut(status, " ")
		w.Header().Set("Grpc-Status", code)
		w.Header().Set("Grpc-Message", words)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	c := New(server.Listener.Addr().String(), new(net.Dialer).DialContext)
	t.Cleanup(c.Close)
	return c
}

func TestCall(t *testing.T) {
	c := daemon(t, func(method string, message []byte) ([]byte, string) {
		if method != "GetVersion" || len(message) != 0 {
			t.Errorf("asked %s with %x", method, message)
		}
		return frame(text(2, "v1.0.1")), "0"
	})
	if v, err := c.Version(t.Context()); err != nil || v != "v1.0.1" {
		t.Errorf("the version is %q, %v", v, err)
	}
}

// What bessd refuses, and what is no bessd.
func TestCallErrors(t *testing.T) {
	for want, answer := range map[string]func(string, []byte) ([]byte, string){
		"gRPC status 12: no such method": func(string, []byte) ([]byte, string) { return nil, "12 no such method" },
		"no gRPC message":                func(string, []byte) ([]byte, string) { return []byte{0, 0}, "0" },
		"error 2: No port": func(string, []byte) ([]byte, string) {
			return frame(append([]byte{0x0a, 0x0b, 0x08, 0x02, 0x12, 0x07}, "No port"...)), "0"
		},
	} {
		c := daemon(t, answer)
		if _, err := c.PortStats(t.Context(), "n3Fast"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "port n3Fast") {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
	nobody := New("127.0.0.1:1", new(net.Dialer).DialContext)
	if _, err := nobody.Version(t.Context()); err == nil || !strings.Contains(err.Error(), "ask bessd for GetVersion") {
		t.Errorf("when nobody listens: %v", err)
	}
}
