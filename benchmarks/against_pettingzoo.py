"""Our AEC environment against PettingZoo's connect_four_v3, in the same loops.

    pip install 'starboard-envs[bench]'
    python benchmarks/against_pettingzoo.py

Our board is the larger: 1,184 actions and 8 x 169 observation entries, against 7 and 6 x 7 x 2.
"""

from __future__ import annotations

import warnings

from report import arguments, say, show

from astralis_envs import astralis_v0
from starboard.benchmark import CALIBRATION, aec_documented, aec_raw, interleave, python_loop


def main() -> None:
    args = arguments(__doc__, rounds=7, seconds=1.0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of this way to import, from PettingZoo 1.27 on
            from pettingzoo.classic import connect_four_v3
    except ImportError as error:
        print(f"skipped: connect_four_v3 cannot be imported ({error}); pip install 'starboard-envs[bench]'")
        return
    rates = interleave(
        {
            CALIBRATION: python_loop,
            "astralis raw_env": aec_raw(astralis_v0.raw_env()),
            "connect_four raw_env": aec_raw(connect_four_v3.raw_env()),
            "astralis env, documented loop": aec_documented(astralis_v0.env()),
            "connect_four env, documented loop": aec_documented(connect_four_v3.env()),
        },
        args.rounds,
        args.seconds,
        progress=say,
    )
    show(
        "PettingZoo's AEC loop, random play. raw_env: any action whose place in the mask np.nonzero finds; env: the\n"
        "documented loop, with env.action_space(agent).sample(mask).",
        "plies",
        rates,
        [
            ("astralis raw_env", "connect_four raw_env", 3.0),
            ("astralis env, documented loop", "connect_four env, documented loop", 2.0),
        ],
    )


if __name__ == "__main__":
    main()
