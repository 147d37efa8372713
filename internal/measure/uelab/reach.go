package uelab

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/datanet"
	"github.com/upflab/upflab/internal/lab/uegateway"
)

// reachTries and reachWithin bound how long a UPF may take to forward its first packets.
const (
	reachTries  = 5
	reachWithin = 2 * time.Second
)

// reach loads a page from each address of the data network as the default UE.
func (l *Lab) reach(ctx context.Context) error {
	for _, host := range l.Network.Addresses() {
		if err := l.reachHost(ctx, host); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lab) reachHost(ctx context.Context, host netip.Addr) (err error) {
	for range reachTries {
		if err = l.load(ctx, host); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("%s: UE %d does not reach the data network: %s: %w",
		l.Deployment.Label, l.Gateway().Default()+1, l.lost(), err)
}

func (l *Lab) load(ctx context.Context, host netip.Addr) error {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	client := l.Gateway().Namespace().HTTPClient(reachWithin)
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+netip.AddrPortFrom(host, datanet.HTTPPort).String()+"/ip", nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(q)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// lost says where packets ended, by the counters on the way.
func (l *Lab) lost() string {
	c, err := l.Gateway().Counters()
	if err != nil {
		return err.Error()
	}
	port := l.Deployment.Site().Links().DNN6
	arrived, sent, err := port.Packets()
	if err != nil {
		return err.Error()
	}
	var words []string
	for r := range uegateway.Reasons() {
		if n := c.Dropped[r]; n > 0 {
			words = append(words, fmt.Sprintf("%d dropped by the gNB (%s)", n, r))
		}
	}
	if c.ErrorIndications > 0 {
		words = append(words, fmt.Sprintf("the UPF sent %d Error Indications: it does not know the TEID", c.ErrorIndications))
	}
	words = append(words, fmt.Sprintf("%d packets left on N3, %d arrived on N6; %d left on N6, %d came back on N3",
		c.UplinkPackets, arrived, sent, c.DownlinkPackets))
	return strings.Join(words, "; ")
}
