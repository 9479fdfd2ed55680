"""Python imports this at its start, where it finds it on its path.

It stands for a change that nobody has in mind: with EXAMPLE=new, the start takes 100 ms longer.
"""

import os
import time

if os.environ.get("EXAMPLE") == "new":
    time.sleep(0.1)
