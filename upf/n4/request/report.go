package request

import (
	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// reportAnswer is a Session Report Response (table 7.5.9.1-1).
type reportAnswer struct {
	Cause  uint8
	CP     *CPFSEID    // nil: none
	Others []Families  // the SMFs to ask instead
	BARs   []BARChange // to the session
}

func DecodeReportAnswer(ies []byte) (a reportAnswer, err error) {
	err = pfcp.Decode(ies, func(list []*ie.IE) (err error) {
		f := Fields(list)
		if a.Cause, err = answerCause(f); err != nil {
			return err
		}
		if i := f.Find(ie.FSEID); i != nil && len(i.Payload) >= 9 && checkFSEID(i.Payload) == nil {
			read := fseidOf(i.Payload)
			a.CP = &read
		}
		for _, i := range f {
			if i.Type != ie.UpdateBARWithinSessionReportResponse {
				continue
			}
			if a.BARs, err = with(a.BARs, Fields(i.ChildIEs), decodeBAR); err != nil {
				return err
			}
		}
		a.Others, err = decodeOthers(f)
		return err
	})
	return a, err
}
