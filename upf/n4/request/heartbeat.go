package request

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"
)

// Heartbeat is a Heartbeat Request (TS 29.244 clauses 6.2.2, 7.4.2.1).
type Heartbeat struct {
	Recovery    uint32
	HasRecovery bool
}

// decodeHeartbeat accepts a request without a Recovery Time Stamp, which is
// mandatory: the response has no cause to refuse it with, and the path works.
func decodeHeartbeat(f Fields) (Request, error) {
	b, err := f.must(ie.RecoveryTimeStamp, 4)
	if err != nil {
		return Heartbeat{}, nil
	}
	return Heartbeat{binary.BigEndian.Uint32(b), true}, nil
}
