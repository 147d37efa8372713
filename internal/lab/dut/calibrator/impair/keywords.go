package impair

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// key is a parameter as a user writes it.
type key struct {
	name, form, what string
	needs            string // another parameter, without which it means nothing
	set              func(*Parameters, string) error
}

func keys() []key {
	return []key{
		{"loss", "0.013 or 1/100", "share of packets that are lost at random, or every n-th", "",
			func(p *Parameters, v string) error { return setChance(&p.Loss, v) }},
		{"duplicate", "0.01 or 1/100", "packets that leave twice", "",
			func(p *Parameters, v string) error { return setChance(&p.Duplicate, v) }},
		{"reorder", "0.01 or 1/100", "packets that are put behind the next", "",
			func(p *Parameters, v string) error { return setChance(&p.Reorder, v) }},
		{"depth", "1..64", "behind how many", "reorder",
			func(p *Parameters, v string) error { return setInt(&p.Depth, v, 64) }},
		{"corrupt", "0.01 or 1/100", "packets of whose payload one byte is flipped", "",
			func(p *Parameters, v string) error { return setChance(&p.Corrupt, v) }},
		{"wrong-teid", "0.01 or 1/100", "downlink packets that leave with the next TEID", "",
			func(p *Parameters, v string) error { return setChance(&p.WrongTEID, v) }},
		{"ce", "0.01 or 1/100", "packets that get the mark of congestion, where they are ECT (RFC 3168)", "",
			func(p *Parameters, v string) error { return setChance(&p.CE, v) }},
		{"delay", "0..10s, as 250us", "added to every packet", "",
			func(p *Parameters, v string) error { return setDuration(&p.Delay, v) }},
		{"jitter", "0..10s, as 100us", "around the delay; the order is kept", "delay",
			func(p *Parameters, v string) error { return setDuration(&p.Jitter, v) }},
		{"distribution", "uniform or normal", "of the jitter", "jitter",
			func(p *Parameters, v string) error { return setOne(&p.Distribution, v, Uniform, Normal) }},
		{"rate", "1pps..10Mpps", "of the one server that all packets pass", "",
			func(p *Parameters, v string) error { return setRate(&p.Rate, v) }},
		{"service", "constant or exponential", "the server's times", "rate",
			func(p *Parameters, v string) error { return setOne(&p.Service, v, Constant, Exponential) }},
		{"queue", "1..65536", "room for packets, with those in the server", "rate",
			func(p *Parameters, v string) error { return setInt(&p.Queue, v, 65536) }},
		{"batch", "1..256", "packets that the server takes at once", "rate",
			func(p *Parameters, v string) error { return setInt(&p.Batch, v, 256) }},
		{"mbr", "1kbps..100Gbps", "of a token bucket for T-PDUs; what finds too few tokens is lost", "",
			func(p *Parameters, v string) error { return setBits(&p.MBR, v) }},
		{"bucket", "1..1000000000", "its depth in octets", "mbr",
			func(p *Parameters, v string) error { return setInt(&p.Bucket, v, 1e9) }},
		{"stall", "20ms/1s", "nothing leaves for so long in each so long", "",
			func(p *Parameters, v string) error { return setStall(&p.Stall, v) }},
		{"seed", "1..2^64-1", "of everything that is random", "",
			func(p *Parameters, v string) error { return setSeed(&p.Seed, v) }},
	}
}

func setChance(c *Chance, value string) error {
	if n, found := strings.CutPrefix(value, "1/"); found {
		every, err := strconv.ParseUint(n, 10, 32)
		if err != nil || every == 0 {
			return fmt.Errorf("write 1/100 for every hundredth packet")
		}
		*c = Chance{Every: every}
		return nil
	}
	p, err := strconv.ParseFloat(value, 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return fmt.Errorf("is not a probability in 0..1, nor 1/N")
	}
	*c = Chance{P: p}
	return nil
}

func setDuration(to *time.Duration, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > 10*time.Second {
		return fmt.Errorf("is not a duration in 0s..10s: write it like 250us or 1.5ms")
	}
	*to = d
	return nil
}

func setInt(to *int, value string, most int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("is not a whole number in 1..%d", most)
	}
	*to = n
	return nil
}

func setSeed(to *uint64, value string) error {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n == 0 {
		return fmt.Errorf("is not a whole number of 1 or more")
	}
	*to = n
	return nil
}

func setOne[T ~string](to *T, value string, choices ...T) error {
	for _, c := range choices {
		if value == string(c) {
			*to = c
			return nil
		}
	}
	return fmt.Errorf("is none of %v", choices)
}

const maxRate = 10e6

// setRate reads packets/s: 500, 80k, 80kpps, 1.5Mpps.
func setRate(to *float64, value string) error {
	number := strings.TrimSuffix(value, "pps")
	unit := 1.0
	switch {
	case strings.HasSuffix(number, "k"):
		unit = 1e3
	case strings.HasSuffix(number, "M"):
		unit = 1e6
	}
	n, err := strconv.ParseFloat(strings.TrimRight(number, "kM"), 64)
	if n *= unit; err != nil || !(n >= 1 && n <= maxRate) {
		return fmt.Errorf("is not a rate in 1pps..10Mpps: write it like 80kpps")
	}
	*to = n
	return nil
}

func setStall(to *Stall, value string) error {
	pause, period, _ := strings.Cut(value, "/")
	var s Stall
	if setDuration(&s.For, pause) != nil || setDuration(&s.Period, period) != nil || s.For <= 0 || s.For >= s.Period {
		return fmt.Errorf("is not PAUSE/PERIOD with the pause the shorter: write it like 20ms/1s")
	}
	*to = s
	return nil
}
