// Package media has the traffic of calls and of extended reality (XR), as 3GPP models it: when which data is due in
// either direction, and how late it may come. It sends nothing.
package media

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"github.com/upflab/upflab/internal/lab/apps/oneway"
)

// Profile is a kind of such traffic.
type Profile struct {
	Name string
	// Budget is the packet delay budget, within which a frame has to arrive whole.
	Budget time.Duration
	// Rate is the bit rate downlink that it has unless asked for another, bits/s; 0: it is not to be chosen.
	Rate float64

	uplink, downlink func(random *rand.Rand, bps float64) iter.Seq[oneway.Burst]
}

// Profiles are all.
var Profiles = []Profile{
	// EVS at 13.2 kbit/s in RTP (TS 26.445 Annex A.2.1), talk spurts of ITU-T P.59, delay budget of 5QI 1 (TS 23.501 table
	// 5.7.4-1).
	{Name: "voice", Budget: 100 * time.Millisecond, uplink: call, downlink: call},
	// Video of 60 frames a second with jitter downlink, poses each 4 ms uplink, delay budget of AR and VR (TR 38.838 clause 5).
	{Name: "xr", Budget: 10 * time.Millisecond, Rate: 30e6, uplink: poses, downlink: video},
}

// Named is the profile of a name.
func Named(name string) (Profile, bool) {
	for _, p := range Profiles {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

// Uplink is the data of a UE, without an end. The same seed gives the same data. bps is the rate of what has one to choose.
func (p Profile) Uplink(seed uint64, bps float64) iter.Seq[oneway.Burst] {
	return p.uplink(rand.New(rand.NewPCG(seed, 1)), bps)
}

// Downlink is the data for a UE, likewise.
func (p Profile) Downlink(seed uint64, bps float64) iter.Seq[oneway.Burst] {
	return p.downlink(rand.New(rand.NewPCG(seed, 2)), bps)
}

// Of a call: RTP's 12 octets and a frame of 33, or in a pause a SID frame of 6 each eighth time.
const (
	speechEvery  = 20 * time.Millisecond
	silenceEvery = 8 * speechEvery
	speechOctets = 12 + 33
	sidOctets    = 12 + 6
	// The means of ITU-T P.59 table 1, exponential.
	talkSpurt = 1004 * time.Millisecond
	pause     = 1587 * time.Millisecond
)

// call is one side of a call.
func call(random *rand.Rand, _ float64) iter.Seq[oneway.Burst] {
	return func(yield func(oneway.Burst) bool) {
		talks := random.IntN(2) == 0
		for at := time.Duration(random.Int64N(int64(speechEvery))); ; talks = !talks {
			mean, every, octets := pause, silenceEvery, sidOctets
			if talks {
				mean, every, octets = talkSpurt, speechEvery, speechOctets
			}
			for end := at + time.Duration(random.ExpFloat64()*float64(mean)); at < end; at += every {
				if !yield(oneway.Burst{Due: at, Octets: octets}) {
					return
				}
			}
		}
	}
}

// Of XR, TR 38.838 tables 5.1.1.1-1 and 5.1.2-1: sizes and jitter are normal and truncated, of sizes by the mean.
const (
	framesPerS                      = 60
	sizeSpread, sizeLeast, sizeMost = 0.105, 0.5, 1.5
	jitterSpread, jitterMost        = 2 * time.Millisecond, 4 * time.Millisecond
	poseEvery                       = 4 * time.Millisecond
	poseOctets                      = 100
)

// video is the frames of a stream.
func video(random *rand.Rand, bps float64) iter.Seq[oneway.Burst] {
	mean := bps / 8 / framesPerS
	first := jitterMost + time.Duration(random.Int64N(int64(time.Second/framesPerS)))
	return func(yield func(oneway.Burst) bool) {
		for n := 0; ; n++ {
			jitter := truncated(random, float64(jitterSpread), -float64(jitterMost), float64(jitterMost))
			size := mean * (1 + truncated(random, sizeSpread, sizeLeast-1, sizeMost-1))
			due := first + time.Duration(n)*time.Second/framesPerS + time.Duration(jitter)
			if !yield(oneway.Burst{Due: due, Octets: int(math.Round(size))}) {
				return
			}
		}
	}
}

// poses are where a head and hands are.
func poses(random *rand.Rand, _ float64) iter.Seq[oneway.Burst] {
	first := time.Duration(random.Int64N(int64(poseEvery)))
	return func(yield func(oneway.Burst) bool) {
		for at := first; yield(oneway.Burst{Due: at, Octets: poseOctets}); at += poseEvery {
		}
	}
}

// truncated is a normal variable of mean 0 within bounds: what is beyond is drawn again.
func truncated(random *rand.Rand, spread, least, most float64) float64 {
	for {
		if v := random.NormFloat64() * spread; v >= least && v <= most {
			return v
		}
	}
}
