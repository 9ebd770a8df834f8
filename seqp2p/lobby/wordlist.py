"""The 256 words of join codes: common English words of 3 to 7 letters, no two alike in their first four letters.

Codes are made by the order of the words, and compared as text.
"""

from typing import Final

_TEXT: Final = """
    acorn agent album almond amber anchor angle apple april arch arrow aspen atlas autumn avocado badge bagel
    bamboo banjo barrel basket beacon beaver bench berry bicycle birch bishop bottle boulder branch brick bridge
    bronze bubble bucket butter cabin cactus camel candle canyon carpet castle cedar cello chalk cherry chimney
    circle clover coast coffee comet copper coral cotton crane crown crystal curtain cycle daisy dancer desert
    diamond dinner dolphin domino donkey dragon drum eagle earth echo eclipse elbow emerald engine envoy fabric
    falcon farmer feather ferry fiddle finch flame flute forest fossil fox frost galaxy garden garlic gecko
    ginger globe goblet goose granite grape guitar hammer hazel helmet heron hockey honey horizon hotel hunter
    icicle igloo indigo island ivory jacket jaguar jasmine jelly jigsaw jockey jungle juniper kayak kettle
    kitten koala ladder lagoon lantern lemon leopard library lizard lobster lotus lunch magnet mango maple
    marble meadow melon mercury meteor mirror monkey mosaic muffin museum mustard napkin nectar needle night
    noodle novel nutmeg oasis ocean octopus olive onion opera orange orchid otter oyster paddle palace panda
    parrot pastry pebble pelican pencil pepper piano pigeon pilot pirate planet plum pocket polar pony potato
    pumpkin puzzle quartz quilt rabbit radar raven ribbon river robin rocket rose ruby saddle saffron salmon
    school shadow silver sketch spider spruce stone summer sunset swan tango teapot temple thistle thunder tiger
    timber toast tomato topaz tractor trumpet tulip tunnel turtle uncle unicorn valley vanilla velvet violin
    volcano voyage waffle wagon walnut water whale wheat willow window winter wizard wolf yacht yellow yogurt
    zebra zephyr zigzag
"""

WORDS: Final = tuple(_TEXT.split())
