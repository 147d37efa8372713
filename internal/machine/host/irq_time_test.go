package host

import (
	"strings"
	"testing"
)

func TestThreadsHoldSoftIRQ(t *testing.T) {
	for config, want := range map[string]bool{
		"CONFIG_SMP=y\n# CONFIG_IRQ_TIME_ACCOUNTING is not set\nCONFIG_BPF=y\n": true,
		"CONFIG_IRQ_TIME_ACCOUNTING=y\n":                                        false,
		"":                                                                      false,
	} {
		if got := threadsHoldSoftIRQ(strings.NewReader(config)); got != want {
			t.Errorf("%q: %v", config, got)
		}
	}
}
