package resilience

import (
	"testing"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

func TestReported(t *testing.T) {
	for _, c := range []struct {
		typ  pfcp.MessageType
		ies  []byte
		want string
		data bool
	}{
		{pfcp.SessionReportRequest, []byte{0, 39, 0, 1, 0x03}, "Session Report Request of downlink data of usage", true},
		{pfcp.SessionReportRequest, []byte{0, 39, 0, 1, 0x08}, "Session Report Request of inactivity", false},
		{pfcp.NodeReportRequest, []byte{0, 101, 0, 1, 0x01}, "Node Report Request of a user plane path failure", false},
		{pfcp.SessionReportRequest, []byte{0, 39, 0, 0}, "Session Report Request", false},
	} {
		if text, data := reported(c.typ, c.ies); text != c.want || data != c.data {
			t.Errorf("%x: %q, data %v; want %q, %v", c.ies, text, data, c.want, c.data)
		}
	}
}
