package trial

import (
	"errors"
	"fmt"

	"github.com/upflab/upflab/internal/netdev"
)

// Gone names the ports of N3 and N6 that are no more; nil: all are there. Ports of a UPF
// elsewhere are not seen.
func (dp *Deployment) Gone() error {
	l := dp.site.Links()
	var errs []error
	for _, end := range []struct {
		whose string
		port  netdev.Port
	}{{"the gNB's N3", l.GNB}, {"the UPF's N3", l.UPFN3}, {"the UPF's N6", l.UPFN6}, {"the data network's N6", l.DNN6}} {
		if end.port.NS == nil {
			continue
		}
		if _, _, err := end.port.Packets(); err != nil {
			errs = append(errs, fmt.Errorf("%s, the interface %s, is gone: something removed it during the run", end.whose, end.port.Name))
		}
	}
	return errors.Join(errs...)
}
